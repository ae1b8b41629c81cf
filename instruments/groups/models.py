"""Groups of people, and the instruments that are theirs."""

from django.db import models
from django.db.models.functions import Lower

from accounts.models import User
from accounts.trail.rows import audited
from wire.clock import now
from wire.columns import has_length
from wire.ids import new_id


class GroupRole(models.TextChoices):
    MEMBER = "member", "member"
    MANAGER = "manager", "manager"


@audited("name", "claimed_as")
class Group(models.Model):
    """Who sees an instrument whose visibility is `groups`. What that means is asked in accounts.sight.

    `claimed_as` is how the identity provider calls it: whoever signs in with that in OIDC_GROUPS_CLAIM is in it.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    name = models.CharField(max_length=255)
    claimed_as = models.CharField(max_length=255, null=True, blank=True)
    created_at = models.DateTimeField(default=now, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(Lower("name"), name="one_group_per_name"),
            models.UniqueConstraint(fields=["claimed_as"], name="one_group_per_claim"),
            models.CheckConstraint(condition=has_length("claimed_as", least=1, most=255), name="group_claim_is_a_name"),
            models.CheckConstraint(condition=has_length("name", least=1, most=255), name="group_has_a_name"),
        ]

    def __str__(self) -> str:
        return self.name


@audited("group", "person", "role")
class Membership(models.Model):
    """One person in one group."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    group = models.ForeignKey(Group, on_delete=models.CASCADE, related_name="memberships", db_index=False)
    person = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=7, choices=GroupRole, default=GroupRole.MEMBER)
    is_claimed = models.BooleanField(default=False, db_default=False)  # the identity provider says so, and may end it

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["group", "person"], name="one_membership_per_group_and_person"),
            models.CheckConstraint(condition=models.Q(role__in=GroupRole.values), name="group_role_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.person} in {self.group}"


@audited("group", "instrument")
class GroupInstrument(models.Model):
    """One instrument of one group."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    group = models.ForeignKey(Group, on_delete=models.CASCADE, related_name="group_instruments", db_index=False)
    instrument = models.ForeignKey("instruments.Instrument", on_delete=models.CASCADE, related_name="in_groups")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["group", "instrument"], name="one_entry_per_group_and_instrument")
        ]

    def __str__(self) -> str:
        return f"{self.instrument_id} of {self.group}"
