"""What instruments do when accounts announce something."""

from collections.abc import Collection
from typing import Any
from uuid import UUID

from django.dispatch import receiver

from accounts.models import User
from accounts.signals import groups_claimed, invitation_accepted
from instruments.groups.catalogue import join_groups
from instruments.groups.claims import follow_claim


@receiver(groups_claimed)
def follow_claimed_groups(person: User, groups: Collection[str], **_: Any) -> None:
    follow_claim(person, groups)


@receiver(invitation_accepted)
def join_groups_of_invitation(person: User, group_ids: Collection[UUID], **_: Any) -> None:
    join_groups(person, group_ids)
