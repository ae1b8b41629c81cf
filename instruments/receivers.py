"""What instruments do when accounts announce something."""

from collections.abc import Collection
from typing import Any

from django.dispatch import receiver

from accounts.models import User
from accounts.signals import groups_claimed
from instruments.groups.claims import follow_claim


@receiver(groups_claimed)
def follow_claimed_groups(person: User, groups: Collection[str], **_: Any) -> None:
    follow_claim(person, groups)
