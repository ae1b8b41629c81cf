"""What a complete file is to the journal: new, a new version, the same under another name, or nothing of note."""

import logging
import time
from collections.abc import Callable

from instrument_watcher.chronicle import Chronicle
from instrument_watcher.config.model import Config, OnChange
from instrument_watcher.journal.files import Found
from instrument_watcher.journal.journal import Journal
from instrument_watcher.journal.rows import SETTLED, UNDER_WAY, FileRow, FileState, Sighting
from instrument_watcher.sizes import bytes_text
from instrument_watcher.watching.grouping import Group, group_by
from instrument_watcher.watching.names import path_fault, printable
from instrument_watcher.watching.scanning import LeadsOut, sight_beside

log = logging.getLogger("instrument_watcher")
FREE_VERSIONS = 5  # of one file; further ones wait, so that a file which grows all day does not fill the store
FIRST_WAIT, LONGEST_WAIT = 60.0, 3600.0


class Judge:
    def __init__(self, config: Config, journal: Journal, chronicle: Chronicle) -> None:
        self._root, self._journal, self._chronicle = config.watch_directory, journal, chronicle
        self._on_change = config.on_change
        self._group: Callable[[str], Group] = group_by(config.run_grouping)

    def judge(self, path: str, sighting: Sighting) -> Found | None:
        """What is to be entered into the journal as found; None where nothing is, or it is done here."""
        known = self._journal.files.find(printable(path))
        if known is None:
            self._leave_old_names(path, sighting)
            return self._found(path, sighting)
        if known.state in SETTLED or self._is_sent_again(known):
            self._note_new_version(known, sighting)
            return None
        if known.sighting.is_same_version(sighting) and known.state is not FileState.GONE:
            if known.state is FileState.REFUSED:
                self._journal.files.mark_touched(known, sighting)
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
        """Stored bytes are never replaced: a new version is sent beside them, or told."""
        if known.sighting.is_same_file(sighting):
            self._note_touch(known, sighting)
            return
        if self._is_dismissed(known):
            self._journal.files.mark_touched(known, sighting)
        elif self._on_change is OnChange.VERSION:
            self._journal.files.send_again(known, sighting, after=turn_of_version(self._journal, known.path))
        elif known.sighting.size == sighting.size and known.state is not FileState.CHANGED:
            self._journal.files.send_again(known, sighting)
        else:
            before, after = bytes_text(known.sighting.size), bytes_text(sighting.size)
            reason = f"Changed after its upload ({before}, now {after}). The service keeps the version it has."
            with self._journal.transaction():
                self._journal.files.mark_changed(known, sighting, reason=reason)
                self._chronicle.error(
                    f"{known.path}: {reason}", run_id=known.run_id, relative_path=known.path,
                    size_bytes=sighting.size, stored_size_bytes=known.sighting.size,
                )  # fmt: skip

    def _note_touch(self, known: FileRow, sighting: Sighting) -> None:
        """Somebody set its mode, gave it another name, backed it up, or wrote to it and set its time back. Its bytes
        tell; of what waits they are read anyway."""
        if known.sighting.is_untouched(sighting):
            return
        if known.state is FileState.UPLOADED:
            self._journal.files.compare_again(known, sighting)
        elif known.state is FileState.DISMISSED and not self._is_dismissed(known):
            self._journal.files.send_again(known, sighting)
        elif known.state in SETTLED:
            self._journal.files.mark_touched(known, sighting)

    def _is_dismissed(self, known: FileRow) -> bool:
        """Whatever becomes of the file: it was dismissed itself, and not only a version of it that waited."""
        return known.state is FileState.DISMISSED and self._journal.stored.versions_at(known.path) == 0

    def _is_sent_again(self, known: FileRow) -> bool:
        """Whether a version of it is stored, and another waits."""
        return known.state is FileState.REPORTED and known.wanted and self._journal.stored.versions_at(known.path) > 0

    def _leave_old_names(self, path: str, sighting: Sighting) -> None:
        """What was renamed before its upload goes under its new name. Whether an uploaded file was, its bytes tell."""
        if not sighting.inode or path_fault(path) is not None:
            return
        for row in self._journal.files.of_version(sighting):
            if row.state in UNDER_WAY and not self._stands(row, path):
                self._leave_old_name(row, path)

    def _leave_old_name(self, row: FileRow, path: str) -> None:
        if row.state is FileState.REPORTED:
            self._chronicle.upload_failed(row, f"It was renamed to {path} before it was uploaded, and goes there.")
            self._journal.files.settle(row, FileState.GONE, reason=f"Renamed to {path}.")
        else:
            self._journal.files.remove(row)

    def _stands(self, row: FileRow, path: str) -> bool:
        """Whether the row's file is there beside the one at the path."""
        try:
            current = sight_beside(self._root, row.path, path)
        except (LeadsOut, OSError):
            return True
        return current is not None and current.inode == row.sighting.inode


def turn_of_version(journal: Journal, path: str) -> float:
    """From when on another version of a file may be sent."""
    further = journal.stored.versions_at(path) - FREE_VERSIONS
    if further < 0:
        return 0.0
    return time.monotonic() + min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** min(further, 30))
