"""What other apps announce and watchers answer to, inside the same transaction."""

from datetime import datetime
from typing import Any

from django.dispatch import receiver

from instruments.models import Instrument
from instruments.signals import instrument_deactivated
from watchers.models import Watcher
from watchers.registration import detach


@receiver(instrument_deactivated)
def deregister_watchers(*, instrument: Instrument, at: datetime, **announced: Any) -> None:
    detach(Watcher.objects.filter(instrument=instrument), at=at)
