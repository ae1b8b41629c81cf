"""The configuration that admins want a watcher to run."""

from django.db import models
from django.db.models import Q

from accounts.trail.rows import audited
from watchers.choices import WantedConfigState
from wire.clock import now
from wire.columns import is_hex


@audited("config_checksum", "state", "refusal", also_recorded=("config_yaml",), parent="watcher")
class WantedConfig(models.Model):
    """The last one that was asked for, and what its agent made of it. It is the agent that takes it, or refuses."""

    watcher = models.OneToOneField(
        "watchers.Watcher", on_delete=models.PROTECT, primary_key=True, related_name="wanted_config"
    )
    config_yaml = models.TextField()
    config_checksum = models.CharField(max_length=64)
    updated_at = models.DateTimeField(default=now, editable=False)
    state = models.CharField(max_length=7, choices=WantedConfigState, default=WantedConfigState.WAITING)
    settled_at = models.DateTimeField(null=True, editable=False)
    taken_checksum = models.CharField(max_length=64, null=True, editable=False)  # of what the agent made of it
    refusal = models.TextField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=is_hex("config_checksum", digits=64), name="wanted_config_checksum_is_sha256"
            ),
            models.CheckConstraint(
                condition=Q(state=WantedConfigState.WAITING, settled_at__isnull=True)
                & Q(taken_checksum__isnull=True, refusal__isnull=True)
                | Q(state=WantedConfigState.TAKEN, settled_at__isnull=False)
                & Q(taken_checksum__isnull=False, refusal__isnull=True)
                | Q(state=WantedConfigState.REFUSED, settled_at__isnull=False)
                & Q(taken_checksum__isnull=True, refusal__isnull=False),
                name="wanted_config_is_settled_as_its_state_says",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.state} for {self.watcher_id}"
