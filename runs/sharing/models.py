"""Links by which somebody without an account looks at one run."""

from datetime import timedelta

from django.db import models
from django.db.models import F, Q

from accounts.models import Token, User
from accounts.trail.rows import audited
from wire.clock import now
from wire.columns import exactly_one, is_hex
from wire.ids import new_id

MAX_DAYS = 90
USUAL_DAYS = 14


REVOCATION = ("revoked_at", "revoked_by", "revoked_by_token")


@audited("made_by", "made_by_token", "expires_at", *REVOCATION, set_later=REVOCATION, parent="run")
class ShareLink(models.Model):
    """One link. Of its secret only the digest is kept."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    run = models.ForeignKey("runs.Run", on_delete=models.PROTECT, related_name="share_links")
    digest = models.CharField(max_length=64)
    made_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+", db_index=False)
    made_by_token = models.ForeignKey(Token, on_delete=models.PROTECT, null=True, related_name="+", db_index=False)
    created_at = models.DateTimeField(default=now, editable=False)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    revoked_by = models.ForeignKey(
        User, on_delete=models.PROTECT, null=True, blank=True, related_name="+", db_index=False
    )
    revoked_by_token = models.ForeignKey(
        Token, on_delete=models.PROTECT, null=True, blank=True, related_name="+", db_index=False
    )
    open_count = models.IntegerField(default=0, editable=False)
    last_opened_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["digest"], name="one_share_link_per_digest"),
            models.CheckConstraint(condition=is_hex("digest", digits=64), name="share_link_digest_is_hex"),
            models.CheckConstraint(
                condition=Q(expires_at__gt=F("created_at"), expires_at__lte=F("created_at") + timedelta(days=MAX_DAYS)),
                name="share_link_ends_in_time",
            ),
            models.CheckConstraint(condition=exactly_one("made_by", "made_by_token"), name="share_link_has_one_maker"),
            models.CheckConstraint(
                condition=Q(revoked_at__isnull=True, revoked_by__isnull=True, revoked_by_token__isnull=True)
                | Q(revoked_at__isnull=False) & exactly_one("revoked_by", "revoked_by_token"),
                name="share_link_is_revoked_by_one",
            ),
        ]

    def __str__(self) -> str:
        return f"link to {self.run_id}"

    @property
    def maker_name(self) -> str:
        maker = self.made_by or self.made_by_token
        return maker.name if maker else ""
