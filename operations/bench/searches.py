"""The searches of docs/performance.md by name, made for the laboratory at hand."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import timedelta

from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.callers import Caller
from operations.bench.laboratory import Laboratory
from runs.metadata_filters import Comparison, Operator
from runs.metadata_terms import format_term
from runs.models import Run
from runs.search import RunSearch, search_runs
from runs.status import RunStatus
from wire.clock import now
from wire.lists.pagination import Window

StatementPair = tuple[str, str]  # the statement of the total and that of the rows
SELECTIVE = ("rare term", "rare text", "failed", "stalled", "usual person")
HALF_TERM = format_term("reviewed", "true")


def list_searches(lab: Laboratory) -> dict[str, RunSearch]:
    """Those that indexes and the choice of ordering are meant for; sorts and deleted runs have no index on purpose."""
    at = now()
    largest = RunSearch(instrument_ids=(lab.largest_instrument,))
    month = RunSearch(happened_from=at - timedelta(days=400), happened_to=at - timedelta(days=370))
    year = timedelta(days=365)
    batch, method = format_term("batch", f"B-{lab.runs // 6}"), format_term("method", "kinetics")
    return {
        "all": RunSearch(),
        "largest instrument": largest,
        "usual instrument": RunSearch(instrument_ids=(lab.usual_instrument,)),
        "one month": month,
        "rare term": RunSearch(terms=(batch,)),
        "two terms": RunSearch(terms=(method, format_term("temperature", "21"))),
        "term of one half": RunSearch(terms=(HALF_TERM,)),
        "rare text": RunSearch(text="rare_"),
        "text of 1 %, one stretch of time": RunSearch(text="project-42_"),
        "text of one half": RunSearch(text="standard"),
        "two letters": RunSearch(text="st"),
        "failed": RunSearch(statuses=(RunStatus.FAILED,)),
        "stalled": RunSearch(statuses=(RunStatus.STALLED,)),
        "pending": RunSearch(statuses=(RunStatus.PENDING_UPLOAD,)),
        "completed": RunSearch(statuses=(RunStatus.COMPLETED,)),
        "unattributed": RunSearch(unattributed=True),
        "usual person": RunSearch(claimed_by=lab.claimants[len(lab.claimants) // 2]),
        "heaviest person": RunSearch(claimed_by=lab.claimants[0]),
        "instrument and failed": replace(largest, statuses=(RunStatus.FAILED,)),
        "instrument and half": replace(largest, terms=(HALF_TERM,)),
        "month and half": replace(month, terms=(HALF_TERM,)),
        "failed and text": RunSearch(statuses=(RunStatus.FAILED,), text="standard"),
        "instrument, year, failed, half": replace(
            largest,
            happened_from=at - 2 * year,
            happened_to=at - year,
            statuses=(RunStatus.FAILED,),
            terms=(HALF_TERM,),
        ),
    }


def list_word_searches(lab: Laboratory) -> dict[str, RunSearch]:
    """Words that few runs have, that many have in one stretch of time, and that many have everywhere."""
    asked = {
        "a run's name": ("rare_",),
        "a batch": (f"B-{lab.runs // 7}",),
        "1 %, one stretch of time": ("project-42",),
        "9 % of metadata": ("kinetics",),
        "half of the names": ("standard",),
        "rare beside common": ("standard", f"B-{lab.runs // 7}"),
        "two common words": ("standard", "kinetics"),
    }
    return {name: RunSearch(words=words) for name, words in asked.items()}


def list_value_searches(lab: Laboratory) -> dict[str, RunSearch]:
    """Comparisons that a handful of runs, one in a hundred, one in twenty and most of them meet."""
    day, end = (f"{now() - timedelta(days=days):%Y-%m-%d}" for days in (400, 379))
    asked = {
        "numbers, 1 of 30,000": (("od600", Operator.GREATER, "2.9999"),),
        "numbers, 2 %": (("od600", Operator.GREATER, "2.94"),),
        "numbers, 5 %": (("od600", Operator.GREATER, "2.85"),),
        "numbers, two thirds": (("od600", Operator.GREATER, "1"),),
        "numbers, between two": (("od600", Operator.AT_LEAST, "1.5"), ("od600", Operator.LESS, "1.5005")),
        "a key that 1 % have": (("ct", Operator.EXISTS, "true"),),
        "dates of three weeks": (("measured_on", Operator.AT_LEAST, day), ("measured_on", Operator.LESS, end)),
        "latest dates": (("measured_on", Operator.AT_LEAST, f"{now() - timedelta(days=21):%Y-%m-%d}"),),
        "a part of few texts": (("batch", Operator.CONTAINS, f"-{lab.runs // 7}"),),
        "a part of many texts": (("method", Operator.CONTAINS, "absorb"),),
        "two keys": (("od600", Operator.GREATER, "2.99"), ("temperature", Operator.GREATER, "30")),
        "another than one": (("ct", Operator.OTHER, "20"),),
    }
    return {
        name: RunSearch(comparisons=tuple(Comparison(*comparison) for comparison in comparisons))
        for name, comparisons in asked.items()
    }


def capture_statements(
    lab: Laboratory, searches: Mapping[str, RunSearch] | None = None, *, exact_total: bool = True
) -> Iterator[tuple[str, StatementPair]]:
    """What the service sends for the first page of each search. One that finds nothing would prove nothing."""
    for name, search in (searches or list_searches(lab)).items():
        statements = capture_search(search, by=lab.caller, exact_total=exact_total)
        if statements is None:
            raise RuntimeError(f"The search '{name}' finds nothing among {Run.objects.count()} runs.")
        yield name, statements


def capture_search(search: RunSearch, *, by: Caller, exact_total: bool = True) -> StatementPair | None:
    """The statements of the first page; None where nothing is found."""
    with CaptureQueriesContext(connection) as queries:
        page = search_runs(search, window=Window(exact_total=exact_total), by=by, at=now())
    return (queries[0]["sql"], queries[-1]["sql"]) if page.rows else None
