"""What is kept of the versions that were installed: which one runs, which is on trial, which failed."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from instrument_watcher import __version__
from instrument_watcher.releases.versions import BASE, StateLocked, Versions


def test_where_somebody_installs_another_version_by_hand_that_one_counts(tmp_path: Path):
    versions = Versions(tmp_path)
    versions.try_out("0.2.0")
    (tmp_path / "0.2.0").mkdir()
    assert versions.chosen() == "0.2.0"

    state = tmp_path / "state.json"
    state.write_text(state.read_text().replace(f'"{__version__}"', '"0.0.9"'))

    assert Versions(tmp_path).chosen() == BASE
    assert not Versions(tmp_path).is_in_use()


def test_a_trial_that_is_cut_off_again_and_again_is_given_up(tmp_path: Path):
    (tmp_path / "0.2.0").mkdir()
    Versions(tmp_path).try_out("0.2.0")

    begun = [Versions(tmp_path).begin() for _ in range(4)]

    assert begun == ["0.2.0", "0.2.0", "0.2.0", BASE]
    assert Versions(tmp_path).failed_lately("0.2.0")


def test_a_state_that_cannot_be_read_means_the_base(tmp_path: Path):
    (tmp_path / "state.json").write_text('{"trial": 3')

    assert Versions(tmp_path).begin() == BASE


def test_a_state_that_is_locked_for_a_moment_is_read_once_it_is_let_go(tmp_path: Path):
    (tmp_path / "0.2.0").mkdir()
    Versions(tmp_path).try_out("0.2.0")
    let_go = lock(tmp_path / "state.json")

    assert Versions(tmp_path, pause=let_go).begin() == "0.2.0"


def test_a_state_that_stays_locked_is_not_taken_for_none(tmp_path: Path):
    Versions(tmp_path).try_out("0.2.0")
    let_go = lock(tmp_path / "state.json")

    with pytest.raises(StateLocked):
        Versions(tmp_path, pause=lambda: None).is_in_use()
    let_go()


def test_what_the_full_disk_did_not_take_counts_until_another_process_writes(tmp_path: Path):
    (tmp_path / "0.2.0").mkdir()
    supervisor, child = Versions(tmp_path), Versions(tmp_path)
    supervisor.try_out("0.2.0")
    (tmp_path / "state.json.new").mkdir()  # nothing can be written
    supervisor.begin()
    assert supervisor.state.starts == 1

    (tmp_path / "state.json.new").rmdir()
    child.confirm("0.2.0")

    assert not supervisor.is_on_trial("0.2.0")


def lock(place: Path) -> Callable[[], None]:
    """Nobody reads the file until it is let go, which is what this gives. Only Windows locks; elsewhere a folder, which
    nobody reads either, stands for it."""
    if sys.platform == "win32":
        import win32con
        import win32file

        handle = win32file.CreateFile(str(place), win32con.GENERIC_READ, 0, None, win32con.OPEN_EXISTING, 0, None)
        return lambda: handle.Close()
    aside = place.rename(place.with_suffix(".aside"))
    place.mkdir()

    def let_go() -> None:
        place.rmdir()
        aside.rename(place)

    return let_go


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only root can give files away")
def test_root_runs_nothing_that_another_user_could_have_put_there(tmp_path: Path):
    versions = Versions(tmp_path)
    assert versions.is_trusted()

    os.chown(tmp_path, 12345, 12345)

    assert not versions.is_trusted()
