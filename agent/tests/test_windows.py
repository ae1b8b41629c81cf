"""What only Windows has: files that a program keeps for itself, short names, and names that differ in case alone."""

import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from instrument_watcher.home import Home
from instrument_watcher.platforms.opening import refuse_unreadable
from instrument_watcher.platforms.paths import listed_name, place
from instrument_watcher.platforms.service_manager import ServiceManagerFailed
from instrument_watcher.releases.versions import Versions

assert sys.platform == "win32", "conftest.py leaves it out elsewhere"

import win32file  # noqa: E402 there is none elsewhere

from instrument_watcher.platforms.windows_services import WindowsServices  # noqa: E402 likewise

SHORT_NAME = 9  # where FindFilesW has cAlternateFileName of WIN32_FIND_DATA
HOLD_ALONE = """
import sys, win32con, win32file
handle = win32file.CreateFile(sys.argv[1], win32con.GENERIC_WRITE, 0, None, win32con.OPEN_ALWAYS, 0, None)
print("held", flush=True)
sys.stdin.read()
"""


def test_a_file_that_another_program_has_for_itself_is_refused_until_it_is_closed(tmp_path: Path):
    path = tmp_path / "a.csv"
    with subprocess.Popen(
        [sys.executable, "-c", HOLD_ALONE, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline().strip() == b"held"

        with pytest.raises(PermissionError) as refusal:
            refuse_unreadable(place(tmp_path, "a.csv"))
        holder.communicate(b"")

    assert getattr(refusal.value, "winerror", None) == 32
    refuse_unreadable(place(tmp_path, "a.csv"))


def test_a_state_that_somebody_reads_is_replaced_once_it_is_closed(tmp_path: Path):
    Versions(tmp_path).try_out("0.2.0")
    reader = (tmp_path / "state.json").open()

    Versions(tmp_path, pause=reader.close).try_out("0.3.0")

    assert reader.closed
    assert Versions(tmp_path).chosen() == "0.3.0"


@pytest.mark.parametrize("told", ["R1/PLATE.CSV", "r1/plate.csv", "R1/Plate.csv"])
def test_the_case_of_a_name_is_that_of_the_folder(tmp_path: Path, told: str):
    (tmp_path / "R1").mkdir()
    (tmp_path / "R1/Plate.csv").touch()

    assert listed_name(tmp_path, told) == "R1/Plate.csv"


def test_a_short_name_is_that_of_the_same_file(tmp_path: Path):
    (tmp_path / "a long name with blanks.csv").touch()
    short = win32file.FindFilesW(str(tmp_path / "a long name with blanks.csv"))[0][SHORT_NAME]

    assert short
    assert listed_name(tmp_path, short) == "a long name with blanks.csv"


def test_a_service_that_cannot_be_started_is_not_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    services = WindowsServices(f"half-{uuid.uuid4().hex[:12]}")
    monkeypatch.setattr(sys, "_base_executable", str(tmp_path / "absent.exe"))

    with pytest.raises(ServiceManagerFailed):
        services.install(Home(tmp_path))

    assert services.state().word == "not installed"
