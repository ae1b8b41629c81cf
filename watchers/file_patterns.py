"""Which files an agent takes, as the service foresees it: a pattern without / is about the name, case never matters.

The rule is the agent's (`watching/patterns.py`); one table of cases holds both to it. Here a pattern that an admin just
wrote has a time limit, as nobody knows what it takes to match.
"""

from collections.abc import Sequence
from time import monotonic

import regex
from wcmatch import glob

FLAGS = glob.GLOBSTAR | glob.IGNORECASE | glob.BRACE | glob.DOTGLOB | glob.MATCHBASE | glob.FORCEUNIX
MAX_SECONDS = 2.0


class PatternsUnusable(ValueError):
    """Says what is wrong with them."""


class FilePatterns:
    """Raises PatternsUnusable, also from `takes` once two seconds were spent."""

    def __init__(self, *, wanted: Sequence[str], ignored: Sequence[str]) -> None:
        self._wanted, self._ignored = _compile(wanted), _compile(ignored)
        self._deadline = monotonic() + MAX_SECONDS

    def takes(self, path: str) -> bool:
        """Whether a file is data where it lies: wanted, and in no folder that is ignored by its name."""
        folders = path.split("/")[:-1]
        ignored = any(self._matches(self._ignored, part) for part in (path, *folders))
        return not ignored and self._matches(self._wanted, path)

    def _matches(self, patterns: Sequence["regex.Pattern[str]"], text: str) -> bool:
        remaining = self._deadline - monotonic()
        if remaining <= 0:
            raise PatternsUnusable("These patterns take too long to match.")
        try:
            return any(one.match(text, timeout=remaining) for one in patterns)
        except TimeoutError:
            raise PatternsUnusable("These patterns take too long to match.") from None


def _compile(patterns: Sequence[str]) -> Sequence["regex.Pattern[str]"]:
    try:
        taking, _ = glob.translate(list(patterns), flags=FLAGS)
        return [regex.compile(one) for one in taking]
    except Exception as error:  # those of wcmatch are not public
        raise PatternsUnusable(f"{error}") from None
