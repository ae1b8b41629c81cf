"""Access tokens that end: admins are told 14, 3 and 1 days before."""

from datetime import datetime, timedelta

from accounts.models import Token
from notifications.admin_notices import tell_admins_once
from notifications.moments import write_moment

DAYS_BEFORE = (14, 3, 1)


def tell_of_ending_tokens(*, at: datetime) -> None:
    """Of each the latest warning that is due. One that is made for a shorter time than a warning goes without it."""
    for token in Token.objects.ending(within=timedelta(days=max(DAYS_BEFORE)), at=at):
        due = _find_due_warning(token, at=at)
        if due is not None:
            tell_admins_once(
                describe_end(token, days=due),
                instrument_ids=token.instrument_ids or (),
                since=token.created_at,
                at=at,
            )


def describe_end(token: Token, *, days: int) -> str:
    assert token.expires_at is not None
    left = "a day" if days == 1 else f"{days} days"
    return (
        f"The access token “{token.name}” ({token.prefix}…) ends within {left}, on {write_moment(token.expires_at)}. "
        "What uses it needs another by then: Settings, Access tokens."
    )


def _find_due_warning(token: Token, *, at: datetime) -> int | None:
    assert token.expires_at is not None
    due = min(days for days in DAYS_BEFORE if token.expires_at - at <= timedelta(days=days))
    return due if token.expires_at - token.created_at > timedelta(days=due) else None
