"""Which files are data. A pattern without / is about the name, at any depth; case never matters."""

from collections.abc import Sequence

from wcmatch import glob

FLAGS = glob.GLOBSTAR | glob.IGNORECASE | glob.BRACE | glob.DOTGLOB | glob.MATCHBASE | glob.FORCEUNIX


class Patterns:
    def __init__(self, *, wanted: Sequence[str], ignored: Sequence[str]) -> None:
        self._wanted = glob.compile(list(wanted), flags=FLAGS)
        self._ignored = glob.compile(list(ignored), flags=FLAGS) if ignored else None

    def is_wanted(self, path: str) -> bool:
        return bool(self._wanted.match(path)) and not self.is_ignored(path)

    def is_ignored(self, path: str) -> bool:
        """True also for a folder whose whole content is of no interest."""
        return self._ignored is not None and bool(self._ignored.match(path))
