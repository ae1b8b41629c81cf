"""What comes in a day, as rows."""

from django.db import models
from django.db.models import Q

from instruments.models import Instrument


class DailyIntake(models.Model):
    """How many bytes of an instrument were announced on a day of the service; kept where that is bounded."""

    instrument = models.ForeignKey(Instrument, on_delete=models.CASCADE, related_name="+", db_index=False)
    day = models.DateField()
    size_bytes = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["instrument", "day"], name="one_intake_per_instrument_and_day"),
            models.CheckConstraint(condition=Q(size_bytes__gte=0), name="intake_is_not_negative"),
        ]

    def __str__(self) -> str:
        return f"{self.instrument_id} on {self.day}: {self.size_bytes} bytes"
