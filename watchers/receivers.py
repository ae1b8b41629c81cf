"""What other apps announce and watchers answer to, inside the same transaction."""

from datetime import datetime
from typing import Any

from django.dispatch import receiver

from instruments.models import Instrument
from instruments.signals import instrument_deactivated
from watchers.models import Watcher
from watchers.registration import detach
from wire.acting import acting


@receiver(instrument_deactivated)
def deregister_watchers(*, instrument: Instrument, at: datetime, **announced: Any) -> None:
    with acting(reason="the instrument was deactivated"):
        detach(Watcher.objects.filter(instrument=instrument), at=at)
