"""Which files are data. A pattern without / is about the name, at any depth; case never matters."""

import logging
from collections import Counter
from collections.abc import Sequence

import regex
from wcmatch import glob

log = logging.getLogger(__name__)
MATCH_SECONDS = 0.25  # of one pattern and one path
MAX_TIMEOUTS = 4
FLAGS = glob.GLOBSTAR | glob.IGNORECASE | glob.BRACE | glob.DOTGLOB | glob.MATCHBASE | glob.FORCEUNIX


class Matcher:
    """Some patterns as one question. Nobody knows what a pattern takes to match: one that takes long is given up.

    What is then not known is answered with `in_doubt`.
    """

    def __init__(self, patterns: Sequence[str], *, in_doubt: bool) -> None:
        self._patterns = _compile(patterns)
        self._in_doubt = in_doubt
        self._timeouts: Counter[int] = Counter()

    def matches(self, path: str) -> bool:
        return any(self._is_match(place, pattern, path) for place, pattern in enumerate(self._patterns))

    def _is_match(self, place: int, pattern: "regex.Pattern[str]", path: str) -> bool:
        if self._timeouts[place] >= MAX_TIMEOUTS:
            return self._in_doubt
        try:
            return pattern.match(path, timeout=MATCH_SECONDS) is not None
        except TimeoutError:
            self._timeouts[place] += 1
            if self._timeouts[place] == MAX_TIMEOUTS:
                log.warning("a file pattern takes too long to match and is not asked any more: %s", pattern.pattern)
            return self._in_doubt


class Patterns:
    """Where a pattern cannot be matched in time, a file too many is taken rather than one lost."""

    def __init__(self, *, wanted: Sequence[str], ignored: Sequence[str]) -> None:
        self._wanted = Matcher(wanted, in_doubt=True)
        self._ignored = Matcher(ignored, in_doubt=False)

    def is_wanted(self, path: str) -> bool:
        return self._wanted.matches(path) and not self.is_ignored(path)

    def is_ignored(self, path: str) -> bool:
        """True also for a folder whose whole content is of no interest."""
        return self._ignored.matches(path)

    def takes(self, path: str) -> bool:
        """Whether a file is data where it lies: wanted, and in no folder that is ignored by its name."""
        folders = path.split("/")[:-1]
        return self.is_wanted(path) and not any(self.is_ignored(folder) for folder in folders)


def pattern_fault(pattern: str) -> str | None:
    """Why this is no pattern, or None."""
    try:
        _compile([pattern])
    except Exception as error:  # its classes are not public
        return str(error)
    return None


def _compile(patterns: Sequence[str]) -> list["regex.Pattern[str]"]:
    taking, _ = glob.translate(list(patterns), flags=FLAGS)
    return [regex.compile(one) for one in taking]
