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

    def takes(self, path: str) -> bool:
        """Whether a file is data where it lies: wanted, and in no folder that is ignored by its name."""
        folders = path.split("/")[:-1]
        return self.is_wanted(path) and not any(self.is_ignored(folder) for folder in folders)


def pattern_fault(pattern: str) -> str | None:
    """Why this is no pattern, or None."""
    try:
        glob.compile([pattern], flags=FLAGS)
    except Exception as error:  # its classes are not public
        return str(error)
    return None
