"""What is kept of the versions that were installed: which one runs, which is on trial, which failed."""

import os
import sys
from pathlib import Path

import pytest

from instrument_watcher import __version__
from instrument_watcher.releases.versions import BASE, Versions


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


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only root can give files away")
def test_root_runs_nothing_that_another_user_could_have_put_there(tmp_path: Path):
    versions = Versions(tmp_path)
    assert versions.is_trusted()

    os.chown(tmp_path, 12345, 12345)

    assert not versions.is_trusted()
