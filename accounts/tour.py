"""The tour of the dashboard: offered to who is new, until it was taken or declined."""

from datetime import datetime, timedelta

from accounts.callers import Caller
from accounts.models import User

OFFERED_FOR = timedelta(days=30)  # who has been here longer knows the way


def is_tour_offered(user: User, *, at: datetime) -> bool:
    return user.tour_ended_at is None and user.created_at > at - OFFERED_FOR


def end_tour(*, by: Caller, at: datetime) -> None:
    """Never offered to the caller again. Ending it twice changes nothing."""
    if by.user is not None:
        User.objects.filter(pk=by.user.pk, tour_ended_at__isnull=True).update(tour_ended_at=at)
