"""The runs that a form of the list names: picked one by one, or all that match what the list looks for."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, Q
from django.http import QueryDict
from django.utils.timezone import localtime

from accounts.callers import Caller
from dashboard.runs.filters import canonicalize_query
from dashboard.runs.typed import read_list_search
from runs.claims import list_claimants
from runs.models import Claim, Run, RunQuerySet
from runs.search import filter_runs
from wire.converters import RunIdConverter, SlugConverter
from wire.errors import NotFound, ValidationError

RUN_KEY = re.compile(f"({SlugConverter.regex})/({RunIdConverter.regex})")
ALL, MATCHING, INSTRUMENT = "all", "matching", "matching_on"
CHANGE, CHANGED_AT = "change", "changed_at"
MAX_PICKED, MAX_MATCHING = 300, 10_000
MAX_READ_CHARACTERS = 20_000


@dataclass(frozen=True)
class Picked:
    """`keys` of runs; or the query string of a list, on the page of `instrument` where one is named; or what the
    caller did to runs (CHANGES) at one moment."""

    keys: Sequence[str] = ()
    matching: str | None = None
    instrument: str = ""
    change: str = ""
    changed_at: datetime | None = None

    @property
    def is_query(self) -> bool:
        return self.matching is not None or bool(self.change)

    @property
    def fields(self) -> list[tuple[str, str]]:
        """The inputs of a form that names the same runs."""
        if self.changed_at:
            return [(ALL, "1"), (CHANGE, self.change), (CHANGED_AT, self.changed_at.isoformat())]
        if self.matching is not None:
            return [(ALL, "1"), (MATCHING, self.matching), (INSTRUMENT, self.instrument)]
        return [("run", key) for key in self.keys]

    def find_runs(self, *, by: Caller, at: datetime) -> RunQuerySet:
        """Unordered. Of a query, those that were there at this moment. Raises NotFound, ValidationError."""
        if self.changed_at:
            return CHANGES[self.change](Run.objects.visible_to(by), by, self.changed_at)
        if self.matching is not None:
            return self._find_matching(by=by, at=at)
        pairs = [Q(instrument_id=instrument, run_id=name) for instrument, name in map(parse_run_key, self.keys)]
        return Run.objects.visible_to(by).filter(Q(*pairs, _connector=Q.OR)) if pairs else Run.objects.none()

    def _find_matching(self, *, by: Caller, at: datetime) -> RunQuerySet:
        query = canonicalize_query(QueryDict(self.matching))
        people, today = list(list_claimants(by=by)), localtime(at).date()
        _, search = read_list_search(query, people=people, today=today, instrument=self.instrument or None, by=by)
        return filter_runs(search, by=by, at=at).filter(created_at__lte=at)


def _find_claimed(runs: RunQuerySet, by: Caller, at: datetime) -> RunQuerySet:
    return runs.active().filter(Exists(Claim.objects.filter(user=by.user, claimed_at=at, run=OuterRef("pk"))))


CHANGES: Mapping[str, Callable[[RunQuerySet, Caller, datetime], RunQuerySet]] = {
    "delete": lambda runs, by, at: runs.filter(deleted_by=by.user, deleted_at=at),
    "claim": _find_claimed,
}  # all at one moment: so what was done to very many is found again, and taken back


def read_picked(form: QueryDict) -> Picked:
    """Raises ValidationError where more are picked one by one than a form takes."""
    if change := form.get(CHANGE, ""):
        if change not in CHANGES:
            raise ValidationError(fields={CHANGE: ["There is no such change."]})
        return Picked(change=change, changed_at=read_moment(form, CHANGED_AT))
    if form.get(ALL):
        return Picked(matching=form.get(MATCHING, "")[:MAX_READ_CHARACTERS], instrument=form.get(INSTRUMENT, ""))
    keys = list(dict.fromkeys(form.getlist("run")))
    if len(keys) > MAX_PICKED:
        raise ValidationError(
            fields={"run": [f"Up to {MAX_PICKED} runs are picked one by one; more by “All that match”."]}
        )
    return Picked(keys)


def read_moment(form: QueryDict, name: str) -> datetime:
    """Raises ValidationError where it is no moment with an offset."""
    try:
        moment = datetime.fromisoformat(form.get(name, ""))
    except ValueError:
        moment = datetime.min
    if moment.tzinfo is None:
        raise ValidationError(fields={name: ["A moment with an offset is needed."]})
    return moment


def parse_run_key(key: str) -> tuple[str, str]:
    """`cary-60/2026-11-20_a` as instrument and run, by the rules of their paths."""
    found = RUN_KEY.fullmatch(key)
    try:
        if found:
            return found[1], RunIdConverter().to_python(found[2])
    except ValueError:
        pass
    raise NotFound("There is no such run.")
