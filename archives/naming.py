"""Names inside an archive: safe to extract on any system, unique there, and as close to the instrument's as can be."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

MANIFEST = "manifest.json"
CRATE_METADATA = "ro-crate-metadata.json"
UNSAFE_CHARACTERS = re.compile(r'[<>:"|?*\\\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]')
RESERVED_NAMES = {
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10)),
}
MAX_SEGMENT_BYTES = 255


def member_names(paths: Iterable[str]) -> Iterator[str]:
    """One name for each path, in their order. No two agree on a system that ignores case and Unicode forms.

    `manifest.json` and `ro-crate-metadata.json` are kept for the archive's own; a path that would need a file where a
    folder is gets another name.
    """
    taken = _TakenNames()
    taken.add(MANIFEST)
    taken.add(CRATE_METADATA)
    for path in paths:
        yield taken.free_name("/".join(safe_segment(segment) for segment in path.split("/")))


def safe_segment(segment: str) -> str:
    """One name without what file systems refuse: control and bidi characters, reserved names, outer dots and spaces."""
    name = UNSAFE_CHARACTERS.sub("_", segment).rstrip(". ") or "_"
    if name.partition(".")[0].lower() in RESERVED_NAMES or name in (".", ".."):
        name = f"_{name}"
    return _truncate_bytes(name, MAX_SEGMENT_BYTES)


class _TakenNames:
    """The names given so far, folded as the pickiest file system folds them."""

    def __init__(self) -> None:
        self.files: set[str] = set()
        self.folders: set[str] = set()
        self.next_number: dict[str, int] = {}

    def free_name(self, name: str) -> str:
        name = self._beside_files(name)
        candidate, number = name, self.next_number.get(fold_name(name), 2)
        while fold_name(candidate) in self.files or fold_name(candidate) in self.folders:
            candidate, number = append_number(name, number), number + 1
        self.next_number[fold_name(name)] = number
        self.add(candidate)
        return candidate

    def add(self, name: str) -> None:
        self.files.add(fold_name(name))
        self.folders.update(fold_name(str(parent)) for parent in PurePosixPath(name).parents if str(parent) != ".")

    def _beside_files(self, name: str) -> str:
        """The same path with a folder renamed where a file already has the folder's name."""
        segments = name.split("/")
        for depth in range(1, len(segments)):
            folder = "/".join(segments[:depth])
            if fold_name(folder) in self.files:
                segments[depth - 1] = f"{segments[depth - 1]}_"
        return "/".join(segments)


def fold_name(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def append_number(name: str, number: int) -> str:
    """`a/b.csv` as `a/b (2).csv`, within the length of a segment."""
    path = PurePosixPath(name)
    mark = f" ({number})"
    stem = _truncate_bytes(path.stem, MAX_SEGMENT_BYTES - len(mark) - len(path.suffix.encode()))
    return str(path.with_name(f"{stem}{mark}{path.suffix}"))


def _truncate_bytes(name: str, most: int) -> str:
    return name.encode()[:most].decode(errors="ignore")
