"""Waiting until a file no longer changes."""

from collections.abc import Iterator

from instrument_watcher.journal.rows import Sighting


class Settling:
    """Files that were seen and are not known to be complete. Kept in memory: a rescan finds them again."""

    def __init__(self, *, stability_seconds: float) -> None:
        self._stability = stability_seconds
        self._since: dict[str, tuple[float, Sighting]] = {}  # in the order of time

    def __len__(self) -> int:
        return len(self._since)

    def see(self, path: str, sighting: Sighting, *, now: float) -> None:
        """Note a file. Its time starts anew when size or time differ from what was seen before."""
        before = self._since.get(path)
        if before is not None and before[1].is_same_version(sighting):
            return
        self.restart(path, sighting, now=now)

    def restart(self, path: str, sighting: Sighting, *, now: float) -> None:
        self._since.pop(path, None)
        self._since[path] = (now, sighting)

    def forget(self, path: str) -> None:
        self._since.pop(path, None)

    def due(self, *, now: float) -> Iterator[tuple[str, Sighting]]:
        """Take out what nobody saw changing for the stability period, and when it was seen."""
        while self._since:
            path, (since, sighting) = next(iter(self._since.items()))
            if since + self._stability > now:
                return
            del self._since[path]
            yield path, sighting

    def take_all(self) -> list[tuple[str, Sighting]]:
        """Take out everything, however short it was seen."""
        taken = [(path, sighting) for path, (_, sighting) in self._since.items()]
        self._since.clear()
        return taken

    def next_due(self) -> float | None:
        first = next(iter(self._since.values()), None)
        return None if first is None else first[0] + self._stability
