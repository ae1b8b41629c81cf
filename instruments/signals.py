"""What instruments announce, inside the transaction of the change."""

from django.dispatch import Signal

instrument_deactivated = Signal()  # instrument: Instrument, by: Caller, at: datetime
