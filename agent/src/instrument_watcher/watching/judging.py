"""What a complete file is to the journal: new, a new version, the same under another name, or nothing of note."""

import logging
from collections.abc import Callable

from instrument_watcher.chronicle import Chronicle
from instrument_watcher.config.model import Config
from instrument_watcher.journal.files import Found
from instrument_watcher.journal.journal import Journal
from instrument_watcher.journal.rows import SETTLED, UNDER_WAY, FileRow, FileState, Sighting
from instrument_watcher.sizes import bytes_text
from instrument_watcher.watching.grouping import Group, group_by
from instrument_watcher.watching.names import path_fault, printable
from instrument_watcher.watching.scanning import LeadsOut, sight

log = logging.getLogger("instrument_watcher")


class Judge:
    def __init__(self, config: Config, journal: Journal, chronicle: Chronicle) -> None:
        self._root, self._journal, self._chronicle = config.watch_directory, journal, chronicle
        self._group: Callable[[str], Group] = group_by(config.run_grouping)

    def judge(self, path: str, sighting: Sighting) -> Found | None:
        """What is to be entered into the journal as found; None where nothing is, or it is done here."""
        known = self._journal.files.find(printable(path))
        if known is None:
            return None if self._is_renamed(path, sighting) else self._found(path, sighting)
        if known.state in SETTLED:
            self._note_new_version(known, sighting)
            return None
        if known.sighting.is_same_version(sighting) and known.state is not FileState.GONE:
            return None
        return self._found(path, sighting)

    def _found(self, path: str, sighting: Sighting) -> Found:
        fault = path_fault(path)
        if fault is not None:
            self._chronicle.error(f"{printable(path)} is not uploaded. {fault}", relative_path=printable(path))
            return Found(printable(path), sighting, run_id=None, reason=fault)
        group = self._group(path)
        return Found(path, sighting, run_id=group.run_id, reason=group.reason)

    def _note_new_version(self, known: FileRow, sighting: Sighting) -> None:
        """Stored bytes are never replaced: a new version is told, not sent."""
        if known.sighting.is_same_version(sighting):
            return
        if known.state is FileState.DISMISSED:
            self._journal.files.mark_touched(known, sighting)
        elif known.sighting.size == sighting.size and known.state is FileState.UPLOADED:
            self._journal.files.mark_doubtful(known, sighting)
        else:
            before, after = bytes_text(known.sighting.size), bytes_text(sighting.size)
            reason = f"Changed after its upload ({before}, now {after}). The service keeps the version it has."
            with self._journal.transaction():
                self._journal.files.mark_changed(known, sighting, reason=reason)
                self._chronicle.error(
                    f"{known.path}: {reason}", run_id=known.run_id, relative_path=known.path,
                    size_bytes=sighting.size, stored_size_bytes=known.sighting.size,
                )  # fmt: skip

    def _is_renamed(self, path: str, sighting: Sighting) -> bool:
        """Whether this is a file the journal has under a name that is gone. Only an uploaded one needs nothing more."""
        if not sighting.inode or path_fault(path) is not None:
            return False
        for row in self._journal.files.of_version(sighting):
            if self._stands(row):
                continue
            if row.state in SETTLED:
                log.info("%s was renamed to %s after its upload; the service keeps the first name.", row.path, path)
                self._journal.files.mark_moved(row, path)
                return True
            self._leave_old_name(row, path)
        return False

    def _leave_old_name(self, row: FileRow, path: str) -> None:
        if row.state is FileState.REPORTED:
            self._chronicle.upload_failed(row, f"It was renamed to {path} before it was uploaded, and goes there.")
            self._journal.files.settle(row, FileState.GONE, reason=f"Renamed to {path}.")
        elif row.state in UNDER_WAY:
            self._journal.files.remove(row)

    def _stands(self, row: FileRow) -> bool:
        try:
            current = sight(self._root, row.path)
        except (LeadsOut, OSError):
            return True
        return current is not None and current.inode == row.sighting.inode
