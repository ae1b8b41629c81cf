"""Every measure by name, and the run of some or all of them."""

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from operations.bench.group_lists import measure_groups
from operations.bench.growth import measure_keys, measure_stored_sizes, measure_thinning
from operations.bench.history import History
from operations.bench.laboratory import Laboratory, open_laboratory
from operations.bench.measuring import ResultLine
from operations.bench.over_http import measure_http
from operations.bench.pages import measure_pages
from operations.bench.report_items import measure_report_items
from operations.bench.request_costs import measure_request_costs
from operations.bench.run_lists import (
    measure_far_page,
    measure_filter_options,
    measure_filters,
    measure_first_page,
    measure_pairs,
    measure_values,
    measure_words,
)
from operations.bench.watcher_writes import measure_events, measure_heartbeat_removal
from operations.bench.writes import measure_file_move, measure_new_run, measure_values_of_new_run

MEASURES: dict[str, Callable[[Laboratory, History], Iterator[ResultLine]]] = {
    "page-1": measure_first_page,
    "page-5000": measure_far_page,
    "filters": measure_filters,
    "pairs": measure_pairs,
    "words": measure_words,
    "values": measure_values,
    "filter-options": measure_filter_options,
    "report-items": measure_report_items,
    "file-move": measure_file_move,
    "new-run": measure_new_run,
    "values-of-new-run": measure_values_of_new_run,
    "events": measure_events,
    "old-heartbeats": measure_heartbeat_removal,
    "stored": measure_stored_sizes,
    "keys": measure_keys,
    "thinning": measure_thinning,
    "request-costs": measure_request_costs,
    "pages": measure_pages,
    "groups": measure_groups,
    "http": measure_http,
}


def run_measures(names: Sequence[str], *, history: Path) -> Iterator[ResultLine]:
    """The lines of the named measures, or of all. Raises NotSeeded."""
    with open_laboratory() as lab, _logs_thrown_away():
        for name in names or MEASURES:
            yield from MEASURES[name](lab, History(history, lab.runs))


@contextmanager
def _logs_thrown_away() -> Iterator[None]:
    """Each request still pays for its log line, which nobody wants to read here."""
    handlers = [handler for handler in logging.getLogger().handlers if isinstance(handler, logging.StreamHandler)]
    with Path(os.devnull).open("w") as nowhere:
        before = [handler.setStream(nowhere) for handler in handlers]
        try:
            yield
        finally:
            for handler, stream in zip(handlers, before, strict=True):
                handler.setStream(stream or handler.stream)
