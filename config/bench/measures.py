"""Every measure by name, and the run of some or all of them."""

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from config.bench.history import History
from config.bench.laboratory import Laboratory, laboratory
from config.bench.lists import filter_options, filters, page_five_thousand, page_one
from config.bench.measuring import Line
from config.bench.over_http import over_http
from config.bench.pages import pages
from config.bench.report_items import report_items
from config.bench.watching import events, old_heartbeats
from config.bench.writes import file_move, new_run

MEASURES: dict[str, Callable[[Laboratory, History], Iterator[Line]]] = {
    "page-1": page_one,
    "page-5000": page_five_thousand,
    "filters": filters,
    "filter-options": filter_options,
    "report-items": report_items,
    "file-move": file_move,
    "new-run": new_run,
    "events": events,
    "old-heartbeats": old_heartbeats,
    "pages": pages,
    "http": over_http,
}


def run_measures(names: Sequence[str], *, history: Path) -> Iterator[Line]:
    """The lines of the named measures, or of all. Raises NotSeeded."""
    with laboratory() as lab, _logs_thrown_away():
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
