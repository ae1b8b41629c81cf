"""The Windows installer: CPython, the agent's locked packages and a launcher, in one file to double-click."""

import io
import os
import shutil
import subprocess
import tempfile
import zipfile
from pathlib import Path

from agent.packaging import downloads, targets, trees
from instrument_watcher import __version__

PARTS = Path(__file__).with_name("windows")
LAUNCHER_LOCK = Path(__file__).with_name("launcher.lock")
LAUNCHER = "distlib/t64.exe"  # starts what its shebang names with the zip behind it; the way pip makes commands
SHEBANG = b"#!<launcher_dir>\\python\\python.exe\r\n"
PYTHON = "3.11"
EPOCH = 1_600_000_000  # the time of every file, so that the same input gives the same bytes
EPOCH_IN_ZIP = (2020, 9, 13, 12, 26, 40)


class ToolMissing(Exception):
    """A program that builds packages is not there."""


def build_installer(folder: Path, *, cache: Path, version: str = __version__) -> Path:
    """InstrumentWatcher-X.Y.Z.exe, the same bytes each time. Raises IndexAway, ToolMissing."""
    if shutil.which("makensis") is None:
        raise ToolMissing("makensis is not installed (on Debian: apt-get install nsis)")
    place = folder.resolve() / f"InstrumentWatcher-{version}.exe"
    with tempfile.TemporaryDirectory() as work:
        tree = Path(work) / "tree"
        lay_out(tree, cache=cache, version=version)
        defined = {"TREE": tree, "VERSION": version, "OUT": place}
        options = [f"-D{name}={value}" for name, value in defined.items()]
        environ = {**os.environ, "SOURCE_DATE_EPOCH": str(EPOCH)}
        command = ["makensis", "-NOCD", "-V2", "-INPUTCHARSET", "UTF8", *options, str(PARTS / "installer.nsi")]
        done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"makensis failed: {done.stdout}{done.stderr}")
    return place


def lay_out(tree: Path, *, cache: Path, version: str) -> None:
    """What is installed: python/ with everything in it, the launcher, three scripts and the licence."""
    target = targets.windows(PYTHON)
    packages = trees.lay_out_embedded_python(downloads.download_embedded_python(cache=cache), tree / "python")
    trees.unpack_wheels(downloads.download_wheels(targets.lines_of(trees.LOCK, target), target, cache=cache), packages)
    trees.unpack_agent(packages, version=version)
    (tree / "instrument-watcher.exe").write_bytes(launcher(cache=cache))
    for name in ("set-up.cmd", "status.cmd", "open.cmd"):
        (tree / name).write_text((PARTS / name).read_text(), newline="\r\n")
    shutil.copy(trees.AGENT.parent / "LICENSE", tree / "LICENSE.txt")
    trees.set_times(tree, EPOCH)


def launcher(*, cache: Path) -> bytes:
    target = targets.windows(PYTHON)
    [wheel] = downloads.download_wheels(targets.lines_of(LAUNCHER_LOCK, target), target, cache=cache)
    with zipfile.ZipFile(wheel) as content:
        program = content.read(LAUNCHER)
    behind = io.BytesIO()
    with zipfile.ZipFile(behind, "w") as archive:
        archive.writestr(zipfile.ZipInfo("__main__.py", EPOCH_IN_ZIP), (PARTS / "launch.py").read_bytes())
    return program + SHEBANG + behind.getvalue()
