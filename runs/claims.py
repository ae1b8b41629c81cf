"""Who says a run is theirs."""

from collections.abc import Collection
from datetime import datetime
from hashlib import sha256
from uuid import UUID

from django.core.cache import cache
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from accounts.callers import Caller
from accounts.models import User
from runs.lifecycle import describe_run, lock_active_run
from runs.models import Claim, Run
from wire.columns import IsAnyOf
from wire.errors import Unauthorized

MAX_CLAIMANTS, CACHE_SECONDS = 200, 60


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
    """The people of the workspace who claimed a run that the caller may see, by name.

    Of those who do not see all, up to a minute old, but for themselves: it takes all claims and all runs that they see.
    """
    if by.instrument_ids is None:
        people = User.objects.filter(Exists(Claim.objects.filter(user=OuterRef("pk"))))
    else:
        people = User.objects.filter(IsAnyOf("pk", _find_claimants_among(by.instrument_ids, by=by)))
    return people.only("id", "display_name", "email").order_by("display_name", "email")[:MAX_CLAIMANTS]


def _find_claimants_among(instrument_ids: Collection[str], *, by: Caller) -> set[UUID]:
    """Kept by what is seen, so that who sees less from now on finds nothing of before."""
    name = f"claimants:{sha256(' '.join(sorted(instrument_ids)).encode()).hexdigest()}"
    claims = Claim.objects.visible_to(by).order_by()
    found: set[UUID] | None = cache.get(name)
    if found is None:
        found = set(claims.values_list("user", flat=True).distinct())
        cache.set(name, found, CACHE_SECONDS)
    if by.user is None or by.user.pk in found:
        return found
    return found | set(claims.filter(user=by.user).values_list("user", flat=True)[:1])


def _require_person(by: Caller) -> User:
    if by.user is None:
        raise Unauthorized("Only people claim runs.")
    return by.user
