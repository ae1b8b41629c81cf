"""Changing to the version that the service's admins chose."""

import base64
import hashlib
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.tests.lab import SOURCE, Lab, wait_until
from agent.tests.running import Service
from instrument_watcher.upgrading import UpdateRefused, install_version, pip_options, refuse_unfit_installation

Change = tuple[str, str, str]  # a file, what stands there, and what is to stand there
PUBLISH = """
from django.utils import timezone
from watchers.models import WatcherRelease
WatcherRelease.objects.create(version="{version}", published_at=timezone.now())
"""
WITHDRAW = "from watchers.models import WatcherRelease; WatcherRelease.objects.all().delete()"


def build_wheel(folder: Path, version: str, *changes: Change) -> Path:
    """The agent of this checkout under another version, packed without any build tool."""
    files = changed_sources(version, *changes)
    info = f"instrument_watcher-{version}.dist-info"
    files[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: instrument-watcher\nVersion: {version}\n".encode()
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = "".join(f"{name},{_digest(data)},{len(data)}\n" for name, data in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    place = folder / f"instrument_watcher-{version}-py3-none-any.whl"
    with zipfile.ZipFile(place, "w") as wheel:
        for name, data in files.items():
            wheel.writestr(name, data)
    return place


def changed_sources(version: str, *changes: Change) -> dict[str, bytes]:
    """The agent's files with another version, each change applied once."""
    files = {
        f"instrument_watcher/{path.relative_to(SOURCE / 'instrument_watcher').as_posix()}": path.read_bytes()
        for path in (SOURCE / "instrument_watcher").rglob("*.py")
    }
    for name, old, new in (("__init__.py", '"0.1.0"', f'"{version}"'), *changes):
        place = f"instrument_watcher/{name}"
        assert files[place].count(old.encode()) == 1, f"{old} in {name}"
        files[place] = files[place].replace(old.encode(), new.encode())
    return files


def _digest(data: bytes) -> str:
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")


@pytest.fixture(scope="module")
def first_installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the agent 0.1.0 in it; what the agent needs comes from the tests' own."""
    return make_environment(tmp_path_factory.mktemp("first"), build_wheel(tmp_path_factory.mktemp("wheels"), "0.1.0"))


def make_environment(folder: Path, wheel: Path) -> Path:
    """With this wheel in it; what it needs comes from the tests' own."""
    place = folder / "venv"
    subprocess.run([sys.executable, "-m", "venv", place], check=True)
    [site] = place.glob("lib/python*/site-packages")
    (site / "needed.pth").write_text(sysconfig.get_path("purelib"))
    python = place / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", wheel], check=True)
    return place


@pytest.fixture
def installed(first_installed: Path, tmp_path: Path) -> Path:
    """The Python of a copy."""
    (tmp_path / "wheels").mkdir()
    return shutil.copytree(first_installed, tmp_path / "venv", symlinks=True) / "bin" / "python"


@pytest.fixture(scope="module")
def published(service: Service) -> Iterator[str]:
    """A release that the service tells its watchers of."""
    service.manage("shell", "-c", PUBLISH.format(version="0.2.0"))
    yield "0.2.0"
    service.manage("shell", "-c", WITHDRAW)


@pytest.mark.slow
def test_an_idle_agent_installs_the_new_version_and_goes_on_as_it(
    lab: Lab, installed: Path, published: str, tmp_path: Path
):
    build_wheel(tmp_path / "wheels", published)
    lab.init(source=str(tmp_path / "wheels"))
    lab.python = str(installed)

    agent = lab.start()
    told = wait_until(lambda: lab.events("update_succeeded"), seconds=120)
    lab.write("R1/a.csv", b"after the update")
    lab.wait_stored(1)

    assert told[0]["message"] == "Updated to version 0.2.0"
    assert agent.poll() is None
    wait_until(lambda: lab.call("GET", f"watchers/{lab.watcher_id}")["agent_version"] == "0.2.0")


@pytest.mark.slow
def test_an_update_that_cannot_be_installed_is_told_and_the_old_version_goes_on(
    lab: Lab, installed: Path, published: str, tmp_path: Path
):
    lab.init(source=str(tmp_path / "wheels"))
    lab.python = str(installed)

    agent = lab.start()
    [told] = wait_until(lambda: lab.events("update_failed"), seconds=120)

    assert told["message"].startswith("Update to 0.2.0 failed: pip could not install version 0.2.0")
    assert agent.poll() is None


@pytest.mark.slow
def test_the_command_only_looks_where_no_source_is_given(lab: Lab, published: str):
    lab.init()

    answer = lab.json("update", "--check")

    assert answer == {"version": "0.1.0", "update_available": True, "latest_version": "0.2.0"}


def test_an_agent_that_runs_from_a_checkout_is_not_updated():
    with pytest.raises(UpdateRefused) as caught:
        refuse_unfit_installation()

    assert caught.value.message == "The agent runs from a checkout and is not installed."


def test_a_folder_of_wheels_is_never_mixed_with_an_index(tmp_path: Path):
    assert pip_options(str(tmp_path)) == ["--no-index", "--find-links", str(tmp_path)]
    assert pip_options("https://wheels.lab.example/simple") == ["--index-url", "https://wheels.lab.example/simple"]
    assert pip_options("index") == []
    with pytest.raises(UpdateRefused):
        pip_options(str(tmp_path / "absent"))


def test_what_is_no_version_never_reaches_pip(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("instrument_watcher.upgrading.refuse_unfit_installation", lambda: None)

    with pytest.raises(UpdateRefused, match="is no version"):
        install_version("0.2.0 @ https://elsewhere.example/x.whl", source="index")
