"""What other apps announce and watchers answer to, inside the same transaction."""

from datetime import datetime
from typing import Any

from django.dispatch import receiver

from instruments.models import Instrument
from instruments.signals import instrument_deactivated
from watchers.models import Watcher
from watchers.registration import deregister_all
from wire.audit_context import audit_context


@receiver(instrument_deactivated)
def deregister_watchers(*, instrument: Instrument, at: datetime, **announced: Any) -> None:
    with audit_context(reason="the instrument was deactivated"):
        deregister_all(Watcher.objects.filter(instrument=instrument), at=at)
