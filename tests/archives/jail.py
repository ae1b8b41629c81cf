"""Opening archives as strangers would: three readers, and extraction into a folder that nothing may leave."""

import hashlib
import shutil
import subprocess
import zipfile
from pathlib import Path


def extracted(archive: Path, jail: Path) -> dict[str, str]:
    """SHA-256 of every file by its path after extraction; refuses whatever lies outside or is no plain file."""
    jail.mkdir()
    with zipfile.ZipFile(archive) as opened:
        opened.extractall(jail)
    outside = [path for path in jail.parent.iterdir() if path not in (jail, archive)]
    assert outside == []
    found = {}
    for path in jail.rglob("*"):
        assert not path.is_symlink()
        assert path.resolve().is_relative_to(jail.resolve())
        if path.is_file():
            found[path.relative_to(jail).as_posix()] = sha256(path)
    return found


def sha256(path: Path) -> str:
    with path.open("rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()


def refused_by(archive: Path) -> list[str]:
    """What the readers at hand say against the archive: Python's, and `unzip -t` where it is installed."""
    with zipfile.ZipFile(archive) as opened:
        said = [f"python: {broken}" for broken in [opened.testzip()] if broken]
    if unzip := shutil.which("unzip"):
        done = subprocess.run([unzip, "-tqq", archive], capture_output=True, text=True, check=False)
        said += [f"unzip: {done.stdout}{done.stderr}"] if done.returncode else []
    return said
