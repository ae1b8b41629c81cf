"""What accounts announce."""

from django.dispatch import Signal

groups_claimed = Signal()  # person: User, groups: frozenset[str]; at each sign-in through a provider that names groups
invitation_accepted = Signal()  # person: User, group_ids: list[UUID]; within the transaction that lets them in
