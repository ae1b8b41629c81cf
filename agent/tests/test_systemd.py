"""The agent as a unit of systemd."""

import shutil
import subprocess
from pathlib import Path

import pytest

from instrument_watcher.home import Home
from instrument_watcher.platforms import systemd
from instrument_watcher.platforms.service_manager import ServiceManagerFailed
from instrument_watcher.platforms.systemd import Systemd, quoted


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
