"""What makes a file doubtful, whoever read it."""

import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from processing.doubts.containers import list_container_doubts
from processing.doubts.curves import list_doubts, list_time_doubts
from processing.doubts.file_bytes import list_byte_doubts
from processing.doubts.jpeg import list_jpeg_doubts
from processing.doubts.json_objects import list_json_doubts
from processing.doubts.markup import list_markup_doubts
from processing.doubts.sheets import list_sheet_doubts
from processing.doubts.texts import list_text_doubts
from processing.readings import Output

NOT_LOOKED = "A part of the look for damage failed, and was left out."
Look = Callable[[], Iterable[str]]


def list_all_doubts(path: Path, output: Output) -> Iterator[str]:
    """Of what was read of it. A rule that breaks costs what it would have said, never the reading."""
    looks: Sequence[Look] = (
        partial(list_doubts, output.artefacts),
        partial(list_time_doubts, output.acquired_at),
        partial(list_byte_doubts, path),
        partial(list_text_doubts, path, output.warnings),
        partial(list_container_doubts, path),
        partial(list_markup_doubts, path),
        partial(list_json_doubts, path),
        partial(list_jpeg_doubts, path),
        partial(list_sheet_doubts, path, output.warnings),
    )
    is_whole = True
    for look in looks:
        try:
            yield from look()
        except Exception:  # which of hundreds of rules it is stands in the log of the reading
            traceback.print_exc()
            is_whole = False
    if not is_whole:
        yield NOT_LOOKED
