"""What differs between operating systems."""

import stat
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from instrument_watcher.cli.run import AlreadyRunning
from instrument_watcher.errors import ExitCode
from instrument_watcher.home import Home, find_home
from instrument_watcher.platforms import disk_load
from instrument_watcher.platforms.disk_load import DiskLoad
from instrument_watcher.platforms.paths import extended
from instrument_watcher.platforms.permissions import others_may_read
from instrument_watcher.platforms.service_manager import run_to_code
from instrument_watcher.platforms.windows_host import without_folder
from instrument_watcher.token_file import TokenMissing, read_token, write_token

needs_modes = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no modes of files")


@needs_modes
def test_the_token_is_never_readable_by_others(tmp_path: Path):
    place = tmp_path / "token"
    place.write_text("old")
    place.chmod(0o644)

    write_token(place, " ids_new\n")

    assert read_token(place) == "ids_new"
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert not others_may_read(place)
    assert list(tmp_path.iterdir()) == [place]


@needs_modes
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


def test_a_disk_without_counters_is_never_busy(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(disk_load, "busy_seconds", lambda folder: None)

    assert not DiskLoad(Path("/"), limit_percent=1).is_busy(during=lambda: None)


@pytest.mark.parametrize(("busy", "is_busy"), [(0.8, True), (0.5, False), (0.2, False)])
def test_a_disk_is_busy_above_the_limit(monkeypatch: pytest.MonkeyPatch, busy: float, is_busy: bool):
    counter, clock = iter([0.0, busy]), iter([0.0, 1.0])
    monkeypatch.setattr(disk_load, "busy_seconds", lambda folder: next(counter))
    monkeypatch.setattr(disk_load, "time", SimpleNamespace(monotonic=lambda: next(clock)))

    assert DiskLoad(Path("/"), limit_percent=50).is_busy(during=lambda: None) is is_busy


def test_only_the_scripts_own_folder_leaves_the_search_path():
    assert without_folder(["/agent/platforms", "", "/python.zip"], "/agent/platforms") == ["", "/python.zip"]
    assert without_folder(["/python.zip", "/python"], "/agent/platforms") == ["/python.zip", "/python"]


@pytest.mark.parametrize(
    ("fault", "code"),
    [(AlreadyRunning(Home(Path("home"))), ExitCode.ALREADY_RUNNING), (OSError("disk full"), ExitCode.CRASH)],
)
def test_a_service_that_cannot_go_on_says_why_and_ends_with_a_code(fault: Exception, code: ExitCode):
    def run() -> ExitCode:
        raise fault

    told: list[str] = []

    assert run_to_code(run, tell=told.append) is code
    assert str(fault) in told[0]
    assert run_to_code(lambda: ExitCode.RESTART, tell=told.append) is ExitCode.RESTART
