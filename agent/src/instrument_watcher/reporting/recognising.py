"""Which found files the service has already, by this name or another. Only equal hashes are believed."""

import logging
from collections.abc import Sequence
from pathlib import Path

from instrument_watcher.journal.journal import Journal
from instrument_watcher.journal.rows import FileRow
from instrument_watcher.journal.stored import StoredFile
from instrument_watcher.watching.scanning import LeadsOut, sight_beside

log = logging.getLogger("instrument_watcher")


class Recogniser:
    def __init__(self, root: Path, journal: Journal) -> None:
        self._root, self._journal = root, journal

    def unknown(self, rows: Sequence[FileRow]) -> list[FileRow]:
        """The files that are to be reported. Others are recognised here, or will be once they were read."""
        return [row for row in rows if not self._recognise(row)]

    def _recognise(self, row: FileRow) -> bool:
        stored = next((one for one in self._journal.stored.like(row) if not self._stands_elsewhere(one, row)), None)
        if stored is None:
            return False
        if row.digest is None:
            self._journal.files.compare(row)
            return True
        self._journal.mark_recognised(row, stored)
        if stored.place == row.path:
            log.info("%s is stored already.", row.path)
        else:
            log.info("%s was renamed to %s after its upload; the service keeps the first name.", stored.place, row.path)
        return True

    def _stands_elsewhere(self, stored: StoredFile, row: FileRow) -> bool:
        """Whether the uploaded file is still where it was, so that this one is another."""
        if stored.place == row.path:
            return False
        try:
            current = sight_beside(self._root, stored.place, row.path)
        except (LeadsOut, OSError):
            return True
        return current is not None and stored.is_version(current)
