"""What runs announce, inside the transaction of the change."""

from django.dispatch import Signal

run_created = Signal()  # run: Run, by: Caller, at: datetime
comment_added = Signal()  # comment: Comment, by: Caller, at: datetime
comment_changed = Signal()  # comment: Comment, added, edited or deleted; before: str, what it said; at: datetime
people_mentioned = Signal()  # comment: Comment, people: set[UUID] named for the first time, by: Caller, at: datetime
