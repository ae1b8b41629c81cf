"""How much one reading may write into its folder, over all its files: what no limit of the kernel counts."""

import os
from collections.abc import Iterator
from pathlib import Path

from processing.readings import MAX_DATASETS_BYTES, find_room_for_datasets

MAX_ADDED_BYTES = 512 * 1024 * 1024
MAX_ENTRIES = 10_000
CHECK_SECONDS = 0.25
BLOCK_BYTES = 512  # of st_blocks, whatever the file system


class ScratchSpace:
    """The folder of one reading, measured every quarter of a second while it is read."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.most_blocks = count_most_blocks(folder)
        self.next_check = 0.0

    def is_exceeded(self, *, at: float) -> bool:
        """Whether there is more in it than may be; False between two checks. `at`: seconds of the monotonic clock."""
        if at < self.next_check:
            return False
        self.next_check = at + CHECK_SECONDS
        blocks = 0
        for number, entry in enumerate(walk(self.folder)):
            blocks += count_blocks(entry)
            if number >= MAX_ENTRIES or blocks > self.most_blocks:
                return True
        return False


def count_most_blocks(folder: Path) -> int:
    """What lies in it before the reading, and what may come: of a large file larger datasets."""
    present = list(walk(folder))
    larger = find_room_for_datasets(sum(map(count_bytes, present))) - MAX_DATASETS_BYTES
    return sum(map(count_blocks, present)) + (MAX_ADDED_BYTES + larger) // BLOCK_BYTES


def count_bytes(entry: os.DirEntry[str]) -> int:
    return entry.stat(follow_symlinks=False).st_size if entry.is_file(follow_symlinks=False) else 0


def count_blocks(entry: os.DirEntry[str]) -> int:
    """What it takes of the disk, whatever its size says; nothing once it has gone."""
    try:
        return entry.stat(follow_symlinks=False).st_blocks
    except FileNotFoundError:
        return 0


def walk(folder: Path) -> Iterator[os.DirEntry[str]]:
    """All that lies in it. Links are not followed; what goes away meanwhile, or cannot be opened, is passed over."""
    folders = [str(folder)]
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    yield entry
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
        except OSError:
            continue
