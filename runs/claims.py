"""Who says a run is theirs."""

from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from accounts.callers import Caller
from accounts.models import User
from runs.lifecycle import describe_run, lock_active_run
from runs.models import Claim, Run
from wire.errors import Unauthorized

MAX_CLAIMANTS = 200


@transaction.atomic
def claim_run(*, instrument: str, run_id: str, by: Caller, at: datetime) -> Run:
    """Put the caller's name on a run. Claiming again changes nothing."""
    user = _require_person(by)
    run = lock_active_run(instrument=instrument, run_id=run_id, by=by)
    Claim.objects.get_or_create(run=run, user=user, defaults={"claimed_at": at})
    return describe_run(instrument=instrument, run_id=run_id, by=by)


@transaction.atomic
def unclaim_run(*, instrument: str, run_id: str, by: Caller) -> Run:
    """Take the caller's name off a run; those of others stay."""
    user = _require_person(by)
    run = lock_active_run(instrument=instrument, run_id=run_id, by=by)
    Claim.objects.filter(run=run, user=user).delete()
    return describe_run(instrument=instrument, run_id=run_id, by=by)


def list_claimants(*, by: Caller) -> QuerySet[User]:
    """The people of the workspace who claimed a run that the caller may see, by name."""
    claims = Claim.objects.visible_to(by).filter(user=OuterRef("pk"))
    return (
        User.objects.filter(Exists(claims))
        .only("id", "display_name", "email")
        .order_by("display_name", "email")[:MAX_CLAIMANTS]
    )


def _require_person(by: Caller) -> User:
    if by.user is None:
        raise Unauthorized("Only people claim runs.")
    return by.user
