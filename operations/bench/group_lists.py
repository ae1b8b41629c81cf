"""P25: what members of groups list of a laboratory, most of which is hidden from them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from urllib.parse import quote

from django.db.models import Sum
from django.test import Client

from accounts.callers import Caller, caller_for_user
from accounts.models import User
from instruments.models import Instrument
from operations.bench.history import LARGE, History
from operations.bench.laboratory import Laboratory
from operations.bench.measuring import ResultLine, build_limit_line, measure_median, measure_medians
from operations.bench.pages import LIMIT_MS, open_page
from operations.bench.run_lists import COUNT_LIMITS_MS, ROWS_LIMIT_MS
from operations.bench.searches import capture_search, list_searches, list_word_searches
from operations.bench.seed_groups import MEMBER_EMAIL
from runs.models import Run
from runs.search import search_runs
from wire.clock import now
from wire.lists.pagination import Window

PAGES = ("/", "/runs", "/instruments", "/inbox", "/search?q=rare_", "/runs?search=project-42_", "/runs?status=failed")
LISTS = (
    *("/instrument-runs", "/instrument-runs?page=500", "/instruments", "/datasets", "/datasets?kind=spectrum"),
    *("/changes", "/changes?types=run.created", "/notifications", "/search?q=rare_", "/projects"),
)
ROUNDS = 5


@dataclass(frozen=True)
class Member:
    """A person of groups, and how many runs they see."""

    person: User
    caller: Caller
    runs: int

    @property
    def name(self) -> str:
        return f"sees {len(self.caller.instrument_ids or ())}"

    @property
    def largest_instrument(self) -> str:
        return Instrument.objects.visible_to(self.caller).order_by("-run_count").values_list("pk", flat=True)[0]

    @property
    def latest_run(self) -> Run:
        return Run.objects.visible_to(self.caller).active().order_by("-happened_at")[0]


def measure_groups(lab: Laboratory, history: History) -> Iterator[ResultLine]:
    """Of the members, who sees fewest runs, who sees most, and one between. Nothing where no groups were seeded."""
    for member in _choose_members():
        yield from _measure_searches(lab, member)
        yield from _measure_words(lab, member)
        with _signed_in(member.person) as client:
            for path in _list_paths(member):
                taken = measure_median(partial(open_page, client, path), rounds=ROUNDS)
                limit = COUNT_LIMITS_MS[LARGE] if path.startswith("/api/") else LIMIT_MS
                yield build_limit_line("P25", f"{member.name}: {path}", taken, at_most=limit)


def _choose_members() -> list[Member]:
    people = User.objects.filter(email__startswith=MEMBER_EMAIL.partition("%")[0])
    members = sorted(map(_describe_member, people), key=lambda member: member.runs)
    return members[:: max(1, (len(members) - 1) // 2)][:2] + members[-1:]


def _describe_member(person: User) -> Member:
    by = caller_for_user(person)
    return Member(person, by, Instrument.objects.visible_to(by).aggregate(runs=Sum("run_count"))["runs"])


def _measure_searches(lab: Laboratory, member: Member) -> Iterator[ResultLine]:
    """Rows and exact totals as bare SQL, of those searches that find anything in what they see."""
    for name, search in list_searches(lab).items():
        if statements := capture_search(search, by=member.caller):
            total, rows = statements
            of_rows, of_total = measure_medians(lambda: lab.run_sql(rows), lambda: lab.run_sql(total), rounds=ROUNDS)  # noqa: B023 (called at once)
            yield build_limit_line("P25", f"{member.name}: rows: {name}", of_rows, at_most=ROWS_LIMIT_MS)
            yield build_limit_line("P25", f"{member.name}: total: {name}", of_total, at_most=COUNT_LIMITS_MS[LARGE])


def _measure_words(lab: Laboratory, member: Member) -> Iterator[ResultLine]:
    window = Window(per_page=50, exact_total=False)
    for name, search in list_word_searches(lab).items():
        ours = measure_median(partial(search_runs, search, window=window, by=member.caller, at=now()), rounds=3)
        yield build_limit_line("P25", f"{member.name}: words: {name}", ours, at_most=COUNT_LIMITS_MS[LARGE])


def _list_paths(member: Member) -> list[str]:
    run, largest = member.latest_run, member.largest_instrument
    records = [f"/instruments/{largest}", f"/instruments/{run.instrument_id}/runs/{quote(run.run_id, safe='')}"]
    return [*PAGES, *records, *(f"/api/v1{path}" for path in LISTS), f"/api/v1/instruments/{largest}/filter-options"]


@contextmanager
def _signed_in(person: User) -> Iterator[Client]:
    client = Client(SERVER_NAME="localhost")
    client.force_login(person)
    try:
        yield client
    finally:
        client.logout()
