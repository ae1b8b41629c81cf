"""P2 and P4 to P8: the list of runs."""

from collections.abc import Iterator

from config.bench import reference
from config.bench.history import LARGE, MIDDLE, SMALL, History
from config.bench.laboratory import Laboratory
from config.bench.measuring import Line, bounded, compared, medians, milliseconds, ms
from config.bench.searches import SELECTIVE, captured
from runs.filter_options import count_options

LIST = "/api/v1/instrument-runs"
COUNT_LIMITS = {SMALL: 40, MIDDLE: 40, LARGE: 400}
ROWS_LIMIT, ROWS_GROWTH, ROWS_ALLOWANCE = 50, 10, 20


def page_one(lab: Laboratory, history: History) -> Iterator[Line]:
    """The first page, in-process, against its bare statements and against a laboratory of 10k runs."""
    find_token = reference.FIND_TOKEN % f"'{lab.token.digest}'"
    statements = (find_token, reference.COUNT_RUNS, reference.LIST_RUNS)
    ours, bare = medians(lambda: lab.get(LIST), lambda: lab.run_sql(*statements), rounds=25)
    history.note("page 1", ours)
    yield compared("P2", "run list, page 1, in-process; bare SQL", ours, bare, at_most=6)
    if small := history.at(SMALL, "page 1"):
        yield compared("P4", "run list, page 1; at 10k runs", ours, small, at_most=1.3)


def page_five_thousand(lab: Laboratory, history: History) -> Iterator[Line]:
    """A page far down, where there are as many runs."""
    far, first = medians(lambda: lab.get(f"{LIST}?page=5000"), lambda: lab.get(LIST), rounds=15)
    if lab.runs >= 5_000 * 20:
        yield compared("P5", "run list, page 5,000, in-process; page 1", far, first, at_most=3)


def filters(lab: Laboratory, history: History) -> Iterator[Line]:
    """Each filter's rows and exact total as bare SQL, against limits and against a laboratory of 10k runs."""
    for name, (total, rows) in captured(lab):
        of_rows, of_total = medians(lambda: lab.run_sql(rows), lambda: lab.run_sql(total))  # noqa: B023 (called at once)
        history.note(f"rows: {name}", of_rows)
        history.note(f"total: {name}", of_total)
        yield from _growth(name, of_rows, of_total, history)
        yield _rows(name, of_rows, history)
        yield bounded("P8", f"total: {name}", of_total, at_most=COUNT_LIMITS.get(history.runs, COUNT_LIMITS[LARGE]))


def filter_options(lab: Laboratory, history: History) -> Iterator[Line]:
    """P11: counted live, behind a cache of a minute in the service."""
    ours = milliseconds(lambda: count_options(lab.largest_instrument))
    yield Line("P11", "filter options of the largest instrument, live", ms(ours))


def _growth(name: str, of_rows: float, of_total: float, history: History) -> Iterator[Line]:
    if name not in SELECTIVE or history.runs != LARGE:
        return
    for what, ours in (("rows", of_rows), ("total", of_total)):
        if small := history.at(SMALL, f"{what}: {name}"):
            yield compared("P6", f"{what}: {name}; at 10k runs", ours, small, at_most=12)


def _rows(name: str, ours: float, history: History) -> Line:
    small = history.at(SMALL, f"rows: {name}")
    limit = ROWS_LIMIT if small is None else min(ROWS_LIMIT, ROWS_GROWTH * small + ROWS_ALLOWANCE)
    return bounded("P7", f"rows: {name}", ours, at_most=round(limit, 1))
