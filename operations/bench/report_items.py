"""P9 and P10: the report of a run with a hundred thousand files."""

from collections.abc import Iterator
from urllib.parse import quote

from files.choices import ReportKind
from operations.bench import reference_statements as reference
from operations.bench.history import History
from operations.bench.laboratory import Laboratory
from operations.bench.measuring import ResultLine, build_limit_line, build_ratio_line, measure_median, measure_medians

WINDOW_ITEMS = 50


def measure_report_items(lab: Laboratory, history: History) -> Iterator[ResultLine]:
    run = lab.largest_run
    images = run.files.filter(report_kind=ReportKind.IMAGE).order_by("natural_key", "id")
    middle = images.count() // 2
    anchor = images.values_list("id", flat=True)[middle]
    path = f"/api/v1/instruments/{run.instrument_id}/runs/{quote(run.run_id)}/report-items?kind=image&anchor={anchor}"
    values = {"run": f"'{run.pk}'", "anchor": anchor, "offset": middle - WINDOW_ITEMS // 2}
    bare = [
        statement % values for statement in (reference.COUNT_ITEMS, reference.FIND_ITEM_POSITION, reference.LIST_ITEMS)
    ]

    ours, partner = measure_medians(lambda: lab.get(path), lambda: lab.run_sql(*bare), rounds=15)
    yield build_limit_line("P9", "report items with anchor, in-process", ours, at_most=30)
    yield build_ratio_line("P9", "the same; its three statements", ours, partner, at_most=2)

    searched = measure_median(lambda: lab.get(f"{path}&search=image"))
    yield build_limit_line("P10", "report items with anchor and search, in-process", searched, at_most=100)
