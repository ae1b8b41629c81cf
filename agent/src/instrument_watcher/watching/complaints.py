"""What stands in the way of watching is told once, not at every look."""

from instrument_watcher.chronicle import Chronicle
from instrument_watcher.watching.names import printable

BLOCKED_SECONDS = 600  # after which a file that cannot be opened is worth an event


class Complaints:
    def __init__(self, chronicle: Chronicle) -> None:
        self._chronicle = chronicle
        self._told: set[str] = set()
        self._blocked: dict[str, float] = {}  # since when

    def tell(self, subject: str, message: str) -> None:
        if subject not in self._told:
            self._told.add(subject)
            self._chronicle.error(message)

    def settle(self, subject: str) -> bool:
        """It holds no longer. Whether it had been told."""
        was_told = subject in self._told
        self._told.discard(subject)
        return was_told

    def note_blocked(self, path: str, error: OSError, *, now: float) -> None:
        """Instruments hold their files open for a while; that alone is nothing to tell."""
        if now - self._blocked.setdefault(path, now) > BLOCKED_SECONDS:
            self.tell(f"open {path}", f"{printable(path)} cannot be opened since 10 minutes: {error.strerror}.")

    def note_opened(self, path: str) -> None:
        if self._blocked.pop(path, None) is not None:
            self.settle(f"open {path}")

    def note_unreadable_folder(self, folder: str, error: OSError) -> None:
        if not isinstance(error, FileNotFoundError):
            self.tell(f"folder {folder}", f"The folder {printable(folder) or '.'} cannot be read: {error.strerror}.")
