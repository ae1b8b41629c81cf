"""P2 and P4 to P8: the list of runs."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from operations.bench import reference_statements as reference
from operations.bench.history import LARGE, MIDDLE, SMALL, History
from operations.bench.laboratory import Laboratory
from operations.bench.measuring import (
    ResultLine,
    build_limit_line,
    build_ratio_line,
    format_milliseconds,
    measure_median,
    measure_medians,
)
from operations.bench.searches import (
    SELECTIVE,
    capture_statements,
    list_searches,
    list_value_searches,
    list_word_searches,
)
from runs.filter_options import count_filter_options
from runs.search import Sort, search_runs
from wire.clock import now
from wire.lists.pagination import Window

LIST_PATH = "/api/v1/instrument-runs"
COUNT_LIMITS_MS = {SMALL: 40, MIDDLE: 40, LARGE: 400}
ROWS_LIMIT_MS, ROWS_GROWTH, ROWS_ALLOWANCE_MS = 50, 10, 20


def measure_first_page(lab: Laboratory, history: History) -> Iterator[ResultLine]:
    """The first page, in-process, against its bare statements and against a laboratory of 10k runs."""
    find_token = reference.FIND_TOKEN % f"'{lab.token.digest}'"
    statements = (find_token, reference.COUNT_RUNS, reference.LIST_RUNS)
    ours, bare = measure_medians(lambda: lab.get(LIST_PATH), lambda: lab.run_sql(*statements), rounds=25)
    history.record_figure("page 1", ours)
    yield build_ratio_line("P2", "run list, page 1, in-process; bare SQL", ours, bare, at_most=6)
    if small := history.find_figure(SMALL, "page 1"):
        yield build_ratio_line("P4", "run list, page 1; at 10k runs", ours, small, at_most=1.3)


def measure_far_page(lab: Laboratory, history: History) -> Iterator[ResultLine]:
    """A page far down, where there are as many runs."""
    far, first = measure_medians(lambda: lab.get(f"{LIST_PATH}?page=5000"), lambda: lab.get(LIST_PATH), rounds=15)
    if lab.runs >= 5_000 * 20:
        yield build_ratio_line("P5", "run list, page 5,000, in-process; page 1", far, first, at_most=3)


def measure_filters(lab: Laboratory, history: History) -> Iterator[ResultLine]:
    """Each filter's rows and exact total as bare SQL, against limits and against a laboratory of 10k runs."""
    for name, (total, rows) in capture_statements(lab):
        of_rows, of_total = measure_medians(lambda: lab.run_sql(rows), lambda: lab.run_sql(total))  # noqa: B023 (called at once)
        history.record_figure(f"rows: {name}", of_rows)
        history.record_figure(f"total: {name}", of_total)
        yield from _compare_growth(name, of_rows, of_total, history)
        yield _judge_rows(name, of_rows, history)
        yield build_limit_line(
            "P8", f"total: {name}", of_total, at_most=COUNT_LIMITS_MS.get(history.runs, COUNT_LIMITS_MS[LARGE])
        )


def measure_pairs(lab: Laboratory, history: History) -> Iterator[ResultLine]:
    """P23: every filter with every order, its total counted so far as the run list counts it."""
    for sort in Sort:
        searches = {f"{name}, by {sort}": replace(search, sort=sort) for name, search in list_searches(lab).items()}
        for name, (total, rows) in capture_statements(lab, searches, exact_total=False):
            of_rows, of_total = measure_medians(lambda: lab.run_sql(rows), lambda: lab.run_sql(total), rounds=3)  # noqa: B023 (called at once)
            yield build_limit_line("P23", f"total so far: {name}", of_total, at_most=COUNT_LIMITS_MS[LARGE])
            yield build_limit_line("P23", f"rows: {name}", of_rows, at_most=ROWS_LIMIT_MS)


def measure_words(lab: Laboratory, history: History) -> Iterator[ResultLine]:
    """P24: whole searches for words, as the run list makes them: the look for few runs, total and described rows."""
    window = Window(per_page=50, exact_total=False)
    for name, search in list_word_searches(lab).items():
        ours = measure_median(partial(search_runs, search, window=window, by=lab.caller, at=now()), rounds=3)
        yield build_limit_line("P24", f"words: {name}", ours, at_most=COUNT_LIMITS_MS[LARGE])


def measure_values(lab: Laboratory, history: History) -> Iterator[ResultLine]:
    """P26: comparisons of metadata: rows and total as the run list asks for them, and an exact total."""
    for name, search in list_value_searches(lab).items():
        for is_exact in (False, True):
            window = Window(per_page=50, exact_total=is_exact)
            ours = measure_median(partial(search_runs, search, window=window, by=lab.caller, at=now()), rounds=3)
            what = f"{name}, exact total" if is_exact else name
            yield build_limit_line("P26", what, ours, at_most=COUNT_LIMITS_MS[LARGE] + ROWS_LIMIT_MS)


def measure_filter_options(lab: Laboratory, history: History) -> Iterator[ResultLine]:
    """P11: counted live, behind a cache of a minute in the service."""
    ours = measure_median(lambda: count_filter_options(lab.largest_instrument))
    yield ResultLine("P11", "filter options of the largest instrument, live", format_milliseconds(ours))


def _compare_growth(name: str, of_rows: float, of_total: float, history: History) -> Iterator[ResultLine]:
    if name not in SELECTIVE or history.runs != LARGE:
        return
    for what, ours in (("rows", of_rows), ("total", of_total)):
        if small := history.find_figure(SMALL, f"{what}: {name}"):
            yield build_ratio_line("P6", f"{what}: {name}; at 10k runs", ours, small, at_most=12)


def _judge_rows(name: str, ours: float, history: History) -> ResultLine:
    small = history.find_figure(SMALL, f"rows: {name}")
    limit = ROWS_LIMIT_MS if small is None else min(ROWS_LIMIT_MS, ROWS_GROWTH * small + ROWS_ALLOWANCE_MS)
    return build_limit_line("P7", f"rows: {name}", ours, at_most=round(limit, 1))
