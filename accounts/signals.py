"""What accounts announce."""

from django.dispatch import Signal

groups_claimed = Signal()  # person: User, groups: frozenset[str]; at each sign-in through a provider that names groups
invitation_accepted = Signal()  # person: User, group_ids: list[UUID]; within the transaction that lets them in
guessing_noticed = Signal()  # message: str, person: User | None who is to hear of it beside admins, at: datetime
