"""What all other tests of the lane stand on. They come first, so that none of those has it all within its own time."""

from pathlib import Path

import pytest

from tests.service import Service
from tests.windows import wine
from tests.windows.computer import PROGRAM
from tests.windows.conftest import kept_installer

pytestmark = [pytest.mark.windows, pytest.mark.slow]


def test_cpython_for_windows_runs_on_wine(windows: wine.Wine):
    said = windows.run(wine.PYTHON, "-c", "import sys; print(sys.platform)")

    assert said.stdout.split() == ["win32"]


@pytest.mark.usefixtures("windows")
def test_the_service_runs_beside_it(service: Service):
    assert service.is_ready()


@pytest.mark.parametrize("version", ["0.1.0", "0.1.1"])
@pytest.mark.usefixtures("windows")
def test_the_installer_is_built(version: str):
    assert kept_installer(version).name == f"InstrumentWatcher-{version}.exe"


def test_the_installed_agent_knows_its_version(installed_prefix: Path):
    with wine.copy_of(installed_prefix) as computer:
        said = computer.run(PROGRAM, "--version")

    assert said.stdout.split() == ["instrument-watcher,", "version", "0.1.0"]
