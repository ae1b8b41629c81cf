"""What differs between operating systems."""

import shutil
import stat
import subprocess
import time
from pathlib import Path

import pytest

from instrument_watcher.home import Home, find_home
from instrument_watcher.platforms import disk_load, systemd
from instrument_watcher.platforms.disk_load import DiskLoad
from instrument_watcher.platforms.paths import extended
from instrument_watcher.platforms.permissions import others_may_read
from instrument_watcher.platforms.service_manager import ServiceManagerFailed
from instrument_watcher.platforms.systemd import Systemd, quoted
from instrument_watcher.token_file import TokenMissing, read_token, write_token


def test_the_token_is_never_readable_by_others(tmp_path: Path):
    place = tmp_path / "token"
    place.write_text("old")
    place.chmod(0o644)

    write_token(place, " ids_new\n")

    assert read_token(place) == "ids_new"
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert not others_may_read(place)
    assert list(tmp_path.iterdir()) == [place]


def test_a_token_that_others_can_read_is_noticed(tmp_path: Path):
    place = tmp_path / "token"
    write_token(place, "ids_x")
    place.chmod(0o640)

    assert others_may_read(place)


@pytest.mark.parametrize("content", ["", "\n", "größer"])
def test_no_token_says_how_to_give_one(tmp_path: Path, content: str):
    (tmp_path / "token").write_text(content)

    with pytest.raises(TokenMissing) as caught:
        read_token(tmp_path / "token")

    assert caught.value.remedy == "Give one with: instrument-watcher init"


def test_the_home_asked_for_wins_over_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("INSTRUMENT_WATCHER_HOME", str(tmp_path / "other"))

    assert find_home(tmp_path / "mine") == Home(tmp_path / "mine")
    assert find_home(None) == Home(tmp_path / "other")


@pytest.mark.parametrize(
    ("path", "long_form"),
    [
        ("C:\\data\\a.csv", "\\\\?\\C:\\data\\a.csv"),
        ("\\\\nas\\share\\a.csv", "\\\\?\\UNC\\nas\\share\\a.csv"),
        ("\\\\?\\C:\\data", "\\\\?\\C:\\data"),
    ],
)
def test_windows_paths_have_a_long_form(path: str, long_form: str):
    assert extended(path) == long_form


def test_the_unit_quotes_what_systemd_would_read_as_more():
    assert quoted('/a b/50%/$HOME/"x"\\') == '"/a b/50%%/$$HOME/\\"x\\"\\\\"'


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd-analyze here")
def test_the_unit_is_one_that_systemd_understands(tmp_path: Path):
    home = Home(tmp_path / "a home with 100 % blanks")
    home.make()
    unit = tmp_path / "instrument-watcher.service"
    unit.write_text(Systemd("instrument-watcher").unit_text(home))

    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(unit)], capture_output=True, text=True, check=False
    )

    assert str(unit) not in done.stderr
    assert done.returncode == 0, done.stderr


def test_without_systemd_nothing_is_written_and_the_way_out_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(systemd, "RUNNING", tmp_path / "absent")
    monkeypatch.setattr(systemd, "SYSTEM_UNITS", tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))

    with pytest.raises(ServiceManagerFailed) as caught:
        Systemd("instrument-watcher").install(Home(tmp_path / "home"))

    assert caught.value.remedy == "Let your own service manager start: instrument-watcher run"
    assert list(tmp_path.iterdir()) == []


def test_a_disk_without_counters_is_never_busy(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(disk_load, "busy_seconds", lambda folder: None)

    assert not DiskLoad(Path("/"), limit_percent=1).is_busy(during=lambda: None)


def test_a_disk_is_busy_above_the_limit(monkeypatch: pytest.MonkeyPatch):
    counter = iter([0.0, 0.08])
    monkeypatch.setattr(disk_load, "busy_seconds", lambda folder: next(counter))

    assert DiskLoad(Path("/"), limit_percent=50).is_busy(during=lambda: time.sleep(0.1))
