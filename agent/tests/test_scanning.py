"""Looking through the watched directory."""

import errno
import os
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from agent.tests.links import needs_links
from instrument_watcher.platforms import paths
from instrument_watcher.watching.patterns import Patterns
from instrument_watcher.watching.scanning import LeadsOut, is_listed, refuse_way_out, sight, walk


def look(root: Path, *, ignored: tuple[str, ...] = ()) -> tuple[dict[str, set[str]], dict[str, list[str]], list[str]]:
    """Files and links by folder, and the folders that could not be read."""
    failed: list[str] = []
    patterns = Patterns(wanted=["*"], ignored=ignored)
    folders = list(walk(root, patterns=patterns, failed=lambda path, _: failed.append(path)))
    files = {folder.path: set(folder.files) for folder in folders if folder.files}
    return files, {folder.path: folder.links for folder in folders if folder.links}, failed


def make(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(b"x")


def test_every_folder_is_looked_into(tmp_path: Path):
    make(tmp_path, "a", "R1/b", "R1/deep/er/c")

    files, _, failed = look(tmp_path)

    assert files == {"": {"a"}, "R1": {"b"}, "R1/deep/er": {"c"}}
    assert failed == []


def test_an_ignored_folder_is_not_entered(tmp_path: Path):
    make(tmp_path, "R1/a", ".git/b", "R1/.cache/c")

    files, _, _ = look(tmp_path, ignored=(".*",))

    assert files == {"R1": {"a"}}


@needs_links
def test_links_are_named_and_not_followed(tmp_path: Path):
    make(tmp_path, "R1/a")
    (tmp_path / "R1/loop").symlink_to(tmp_path)
    (tmp_path / "again").symlink_to(tmp_path / "R1/a")

    files, links, _ = look(tmp_path)

    assert files == {"R1": {"a"}}
    assert links == {"": ["again"], "R1": ["loop"]}


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="everything can be read")
def test_a_folder_that_cannot_be_read_is_told_and_the_others_are_seen(tmp_path: Path):
    make(tmp_path, "R1/a", "R2/b")
    (tmp_path / "R1").chmod(0)

    files, _, failed = look(tmp_path)
    (tmp_path / "R1").chmod(0o700)

    assert (files, failed) == ({"R2": {"b"}}, ["R1"])


@pytest.mark.skipif(sys.platform == "win32", reason="pipes are no files there")
def test_what_is_no_regular_file_is_not_seen(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")

    assert look(tmp_path)[0] == {}
    assert sight(tmp_path, "pipe") is None
    assert sight(tmp_path, "absent") is None


@needs_links
def test_a_link_is_seen_as_what_it_leads_to_and_never_beyond_the_directory(tmp_path: Path):
    root = tmp_path / "root"
    make(root, "R1/a")
    make(tmp_path, "outside")
    (root / "inside").symlink_to("R1/a")
    (root / "out").symlink_to("../outside")

    assert sight(root, "inside") == sight(root, "R1/a")
    with pytest.raises(LeadsOut):
        sight(root, "out")


@needs_links
def test_a_watched_directory_may_itself_be_a_link(tmp_path: Path):
    make(tmp_path, "real/a")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "real/inside").symlink_to("a")

    assert sight(tmp_path / "link", "inside") == sight(tmp_path / "real", "a")


def test_what_lies_in_the_directory_leads_not_out(tmp_path: Path):
    make(tmp_path, "R1/deep/er/Größe 日本.csv")

    refuse_way_out(tmp_path, paths.place(tmp_path, "R1/deep/er/Größe 日本.csv"))


def test_a_name_is_listed_as_it_is_spelled(tmp_path: Path):
    make(tmp_path, "R1/Plate.csv")

    assert is_listed(tmp_path, "R1/Plate.csv")
    assert not is_listed(tmp_path, "R1/plate.csv")
    assert not is_listed(tmp_path, "r1")


@needs_links
def test_a_link_to_itself_leads_nowhere_and_is_no_fault_of_the_program(tmp_path: Path):
    (tmp_path / "itself").symlink_to("itself")

    with pytest.raises(OSError, match=os.strerror(errno.ELOOP)):
        sight(tmp_path, "itself")


def test_a_file_that_a_failing_disk_does_not_tell_of_hides_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    make(tmp_path, "broken", "whole")
    monkeypatch.setattr(paths, "entries", lambda folder: nullcontext(map(Entry, os.scandir(folder))))

    files, closer, failed = look(tmp_path)

    assert (files, closer, failed) == ({"": {"whole"}}, {"": ["broken"]}, [])


class Entry:
    """One of a folder, on a disk that cannot read what it knows of `broken`."""

    def __init__(self, entry: "os.DirEntry[str]") -> None:
        self._entry, self.name = entry, entry.name
        self.is_symlink, self.is_dir, self.is_file = entry.is_symlink, entry.is_dir, entry.is_file

    def stat(self, *, follow_symlinks: bool) -> os.stat_result:
        if self.name == "broken":
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return self._entry.stat(follow_symlinks=follow_symlinks)
