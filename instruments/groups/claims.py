"""Groups that the identity provider fills: at each sign-in they have whom its claim names, and nobody else by it."""

from collections.abc import Collection

from django.db import transaction

from accounts.models import User
from instruments.groups.models import Group, Membership


@transaction.atomic
def follow_claim(person: User, groups: Collection[str]) -> None:
    """Join the groups that are claimed, and leave those that were. Who was put in by hand stays, with their role."""
    claimed = Group.objects.filter(claimed_as__in=groups)
    Membership.objects.filter(person=person, is_claimed=True).exclude(group__in=claimed).delete()
    rows = [Membership(group=group, person=person, is_claimed=True) for group in claimed.order_by("id")]
    Membership.objects.bulk_create(rows, ignore_conflicts=True)
