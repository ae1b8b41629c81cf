"""The file of a release, which installed agents take from the service: packages for every system, in one ZIP.

`release.json` {version, platforms}, `any/` with what all of them share, and a folder for each platform and Python, as
`instrument_watcher.releases.file` reads it.
"""

import json
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

from agent.packaging import downloads, targets, trees
from agent.packaging.installer import EPOCH_IN_ZIP, PYTHON
from agent.packaging.linux_packages import PYTHONS
from instrument_watcher import __version__
from instrument_watcher.releases.file import ABOUT, SHARED

PLATFORMS = {f"linux-x86_64-{python}": targets.linux(python) for python in PYTHONS} | {
    f"win32-amd64-{PYTHON}": targets.windows(PYTHON)
}


def build_update(folder: Path, *, cache: Path, version: str = __version__) -> Path:
    """instrument-watcher-X.Y.Z.zip, the same bytes each time. Raises IndexAway."""
    place = folder / f"instrument-watcher-{version}.zip"
    wheels = {
        name: downloads.download_wheels(targets.lines_of(trees.LOCK, target), target, cache=cache)
        for name, target in PLATFORMS.items()
    }
    with tempfile.TemporaryDirectory() as work:
        tree = Path(work)
        lay_out(tree, wheels, version=version)
        pack(tree, place, version=version, platforms=PLATFORMS)
    return place


def lay_out(tree: Path, wheels: dict[str, list[Path]], *, version: str) -> None:
    """What is the same for all platforms goes below any/ once."""
    shared = set.intersection(*({wheel.name for wheel in found} for found in wheels.values()))
    for name, found in wheels.items():
        trees.unpack_wheels([wheel for wheel in found if wheel.name not in shared], tree / name)
    first = next(iter(wheels.values()))
    trees.unpack_wheels([wheel for wheel in first if wheel.name in shared], tree / SHARED)
    trees.unpack_agent(tree / SHARED, version=version)


def pack(tree: Path, place: Path, *, version: str, platforms: Iterable[str]) -> None:
    """Depends on the content alone."""
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(_entry(ABOUT), json.dumps({"version": version, "platforms": sorted(platforms)}))
        for path in sorted(tree.rglob("*")):
            if path.is_file():
                archive.writestr(_entry(path.relative_to(tree).as_posix()), path.read_bytes())


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, EPOCH_IN_ZIP)
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry
