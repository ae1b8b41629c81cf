"""To which run a file belongs."""

from collections.abc import Callable
from dataclasses import dataclass

import regex

from instrument_watcher.config.model import GroupBy, Grouping
from instrument_watcher.watching.names import run_id_fault

REGEX_SECONDS = 0.25


@dataclass(frozen=True)
class Group:
    """The run of a file, or why it has none."""

    run_id: str | None
    reason: str | None = None


def group_by(grouping: Grouping) -> Callable[[str], Group]:
    """The rule as a function of the relative path."""
    find = _RULES[grouping.by](grouping)

    def group(path: str) -> Group:
        found = find(path)
        if found.run_id is None:
            return found
        run_id = found.run_id.strip()
        fault = run_id_fault(run_id)
        return Group(run_id) if fault is None else Group(None, fault)

    return group


def _by_prefix(grouping: Grouping) -> Callable[[str], Group]:
    return lambda path: Group(_stem(path).partition(grouping.separator)[0])


def _by_stem(grouping: Grouping) -> Callable[[str], Group]:
    return lambda path: Group(_stem(path))


def _by_top_folder(grouping: Grouping) -> Callable[[str], Group]:
    return lambda path: _of_folder(path.split("/")[:-1][:1])


def _by_deepest_folder(grouping: Grouping) -> Callable[[str], Group]:
    return lambda path: _of_folder(path.split("/")[:-1][-1:])


def _by_regex(grouping: Grouping) -> Callable[[str], Group]:
    pattern = regex.compile(grouping.pattern)

    def find(path: str) -> Group:
        try:
            match = pattern.search(path, timeout=REGEX_SECONDS)
        except TimeoutError:
            return Group(None, f"The grouping pattern took over {REGEX_SECONDS} s on this path.")
        if match is None or match.group(1) is None:
            return Group(None, "The grouping pattern does not match it.")
        return Group(match.group(1))

    return find


def _of_folder(folders: list[str]) -> Group:
    return Group(folders[0]) if folders else Group(None, "It lies in no folder of its own, and folders are the runs.")


def _stem(path: str) -> str:
    name = path.rpartition("/")[2]
    stem, dot, _ = name.rpartition(".")
    return stem if dot and stem else name


_RULES: dict[GroupBy, Callable[[Grouping], Callable[[str], Group]]] = {
    GroupBy.PREFIX: _by_prefix,
    GroupBy.STEM: _by_stem,
    GroupBy.TOP_FOLDER: _by_top_folder,
    GroupBy.DEEPEST_FOLDER: _by_deepest_folder,
    GroupBy.REGEX: _by_regex,
}
