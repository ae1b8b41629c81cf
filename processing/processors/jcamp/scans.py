"""GC-MS in JCAMP-DX: a scan for each retention time."""

import re
from collections.abc import Iterator

from processing.processors.jcamp.records import DataTable, parse_number, read_records
from processing.processors.jcamp.traces import EVENLY_SPACED_FORM, check_count, pairs_of
from processing.processors.mass_spectrometry.scans import Scan
from processing.readings import Unreadable

RETENTION_RECORD = re.compile(r"^##\s*RETENTION[ _]?TIME\s*=", re.IGNORECASE | re.MULTILINE)
MIN_SCANS = 2
POINT_LABELS = {"XYDATA", "XYPOINTS", "PEAKTABLE", "DATATABLE"}


def holds_scans(text: str) -> bool:
    """More than one spectrum, each with a retention time of its own."""
    return len(RETENTION_RECORD.findall(text)) >= MIN_SCANS


def iterate_scans(text: str) -> Iterator[Scan]:
    """In the order of the file. Each announces how many points it has, and must have them."""
    stated: dict[str, str] = {}
    for number, (label, value) in enumerate(read_records(text)):
        if label not in POINT_LABELS:
            stated[label] = value
            continue
        form, _, body = value.partition("\n")
        if EVENLY_SPACED_FORM.search(form):
            raise Unreadable(f"The points of a scan have a form that is not known: {form.strip()}.")
        expected = parse_number(stated.pop("NPOINTS", None))
        table = DataTable(label, form.strip(), body.splitlines(), None, {})
        points = pairs_of(table, width=2)
        check_count(len(points), None if expected is None else int(expected), is_complete=False)
        name = stated.pop("SCANNUMBER", "") or str(number)
        time, total = (parse_number(stated.pop(key, None)) for key in ("RETENTIONTIME", "TIC"))
        yield Scan(name, 1, time, points[:, 0], points[:, 1], total=total)
