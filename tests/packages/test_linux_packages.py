"""The packages for Linux: built twice, installed, used, upgraded and taken away again."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.packaging import linux_packages
from agent.packaging.downloads import IndexAway

pytestmark = pytest.mark.slow
CACHE = Path(__file__).parents[2] / "var" / "windows"


def built(build: Callable[..., Path], folder: Path, version: str) -> Path:
    folder.mkdir(exist_ok=True)
    try:
        return build(folder, cache=CACHE, version=version)
    except IndexAway as absent:
        pytest.skip(str(absent))


def say(*command: str | Path) -> str:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(command, capture_output=True, text=True, env=environ, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("build", [linux_packages.build_deb, linux_packages.build_tar])
def test_the_same_sources_give_the_same_bytes(build: Callable[..., Path], tmp_path: Path):
    first, second = built(build, tmp_path / "1", "0.1.0"), built(build, tmp_path / "2", "0.1.0")

    assert first.read_bytes() == second.read_bytes()


@pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="no dpkg here")
def test_the_debian_package_says_what_it_needs_and_holds_an_agent_that_runs(tmp_path: Path):
    package = built(linux_packages.build_deb, tmp_path, "0.1.0")

    assert say("dpkg-deb", "--field", package, "Depends").startswith("python3 (>= 3.11), python3 (<< 3.15)")
    say("dpkg-deb", "--extract", package, tmp_path / "root")
    prefix = tmp_path / "root" / linux_packages.DEB_PREFIX.lstrip("/")
    if not (prefix / "bin" / "python").exists():
        pytest.skip("the system has no Python of its own")
    assert (
        say(prefix / "bin" / "python", "-m", "instrument_watcher", "--version") == "instrument-watcher, version 0.1.0\n"
    )


def test_the_tar_is_installed_upgraded_and_taken_away(tmp_path: Path):
    for version in ("0.1.0", "0.1.1"):
        archive = built(linux_packages.build_tar, tmp_path, version)
        say("tar", "--extract", "--file", archive, "--directory", tmp_path)
        installer, prefix = tmp_path / f"instrument-watcher-{version}" / "install.sh", tmp_path / "opt"

        said = say(installer, "--prefix", prefix)

        assert said == f"instrument-watcher, version {version}\n"
        program = prefix / "bin" / "instrument-watcher"
        executable = say(
            prefix / "bin" / "python", "-c", "import sys, regex, yaml; print(sys.executable, regex.__file__)"
        )
        assert executable.split()[0] == str(prefix / "bin" / "python")
        assert str(prefix / "lib") in executable
        assert "Begin" in say(program, "--help")

    say(installer, "--prefix", prefix, "--uninstall")

    assert not prefix.exists()
