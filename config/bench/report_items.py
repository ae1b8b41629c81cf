"""P9 and P10: the report of a run with a hundred thousand files."""

from collections.abc import Iterator
from urllib.parse import quote

from config.bench import reference
from config.bench.history import History
from config.bench.laboratory import Laboratory
from config.bench.measuring import Line, bounded, compared, medians, milliseconds
from files.models import ReportKind

WINDOW = 50


def report_items(lab: Laboratory, history: History) -> Iterator[Line]:
    run = lab.largest_run
    images = run.files.filter(report_kind=ReportKind.IMAGE).order_by("natural_key", "id")
    middle = images.count() // 2
    anchor = images.values_list("id", flat=True)[middle]
    path = f"/api/v1/instruments/{run.instrument_id}/runs/{quote(run.run_id)}/report-items?kind=image&anchor={anchor}"
    values = {"run": f"'{run.pk}'", "anchor": anchor, "offset": middle - WINDOW // 2}
    bare = [statement % values for statement in (reference.COUNT_ITEMS, reference.PLACE_ITEM, reference.LIST_ITEMS)]

    ours, partner = medians(lambda: lab.get(path), lambda: lab.run_sql(*bare), rounds=15)
    yield bounded("P9", "report items with anchor, in-process", ours, at_most=30)
    yield compared("P9", "the same; its three statements", ours, partner, at_most=2)

    searched = milliseconds(lambda: lab.get(f"{path}&search=image"))
    yield bounded("P10", "report items with anchor and search, in-process", searched, at_most=100)
