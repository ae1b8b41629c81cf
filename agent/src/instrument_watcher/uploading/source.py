"""The bytes of a file of the watched directory: opened without hindering the instrument, read in pieces."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from instrument_watcher.journal.rows import Sighting
from instrument_watcher.platforms import opening, paths
from instrument_watcher.uploading.pacing import Pace
from instrument_watcher.watching.scanning import refuse_way_out, sighting_of

PIECE = 1024 * 1024


class Vanished(Exception):
    """The file is no longer there."""


class Changed(Exception):
    """The file is no longer the version that was found."""


@dataclass(frozen=True)
class Source:
    """An open file whose every read is paced and which can tell whether it is still the same version."""

    stream: BinaryIO
    pace: Pace

    def sighting(self) -> Sighting:
        return sighting_of(os.fstat(self.stream.fileno()))

    def refuse_changed(self, expected: Sighting) -> None:
        """Raises Changed."""
        if not self.sighting().is_same_version(expected):
            raise Changed

    def pieces(self, *, start: int, size: int) -> Iterator[bytes]:
        """The bytes from `start` on. Raises Changed where the file ends before, Stopping."""
        left = size
        self.stream.seek(start)
        while left:
            self.pace.before_reading()
            piece = self.stream.read(min(PIECE, left))
            if not piece:
                raise Changed
            left -= len(piece)
            yield piece


@contextmanager
def open_source(root: Path, path: str, *, pace: Pace) -> Iterator[Source]:
    """Raises Vanished (also where something else than a file took its place), LeadsOut, OSError."""
    place = paths.place(root, path)
    try:
        refuse_way_out(root, place)
        descriptor = opening.open_for_reading(place)
    except (FileNotFoundError, NotADirectoryError):
        raise Vanished from None
    except PermissionError:  # Windows' word for a folder, too
        if Path(place).is_dir():
            raise Vanished from None
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):  # Python opens no stream of a folder
        os.close(descriptor)
        raise Vanished
    with os.fdopen(descriptor, "rb") as stream:
        yield Source(stream, pace)
