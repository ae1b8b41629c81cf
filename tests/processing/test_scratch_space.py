"""What one reading has written, over all its files."""

import os

import pytest

from processing.confined import scratch_space
from processing.confined.scratch_space import CHECK_SECONDS, ScratchSpace


@pytest.fixture(autouse=True)
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scratch_space, "MAX_ADDED_BYTES", 1024 * 1024)
    monkeypatch.setattr(scratch_space, "MAX_ENTRIES", 50)


def test_the_input_does_not_count(tmp_path):
    (tmp_path / "input").mkdir()
    (tmp_path / "input" / "large").write_bytes(os.urandom(2 * 1024 * 1024))

    assert not ScratchSpace(tmp_path).is_exceeded(at=0)


def test_all_files_count_together_in_whatever_folder(tmp_path):
    space = ScratchSpace(tmp_path)
    (tmp_path / "deep" / "deeper").mkdir(parents=True)
    for folder in (tmp_path, tmp_path / "deep" / "deeper"):
        (folder / "half").write_bytes(os.urandom(640 * 1024))

    assert space.is_exceeded(at=0)


def test_names_count_too(tmp_path):
    space = ScratchSpace(tmp_path)
    for number in range(60):
        (tmp_path / str(number)).touch()

    assert space.is_exceeded(at=0)


def test_a_hole_takes_no_space_and_what_a_link_leads_to_is_not_counted(tmp_path):
    space = ScratchSpace(tmp_path / "home")
    (tmp_path / "home").mkdir()
    (tmp_path / "beside").write_bytes(os.urandom(2 * 1024 * 1024))
    (tmp_path / "home" / "link").symlink_to(tmp_path / "beside")
    with (tmp_path / "home" / "hole").open("wb") as file:
        file.truncate(1024**3)

    assert not space.is_exceeded(at=0)


def test_it_is_measured_only_now_and_then(tmp_path):
    space = ScratchSpace(tmp_path)
    assert not space.is_exceeded(at=10)
    (tmp_path / "large").write_bytes(os.urandom(2 * 1024 * 1024))

    assert not space.is_exceeded(at=10 + CHECK_SECONDS / 2)
    assert space.is_exceeded(at=10 + CHECK_SECONDS)


def test_a_folder_that_has_gone_stops_nobody(tmp_path):
    assert not ScratchSpace(tmp_path / "gone").is_exceeded(at=0)
