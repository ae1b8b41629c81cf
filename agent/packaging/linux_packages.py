"""The agent for Linux: a Debian package and a tar, each with its packages for every Python that distributions carry.

Both are virtual environments of the system's Python: its site-packages for one version hold what is compiled for that
version, and lead by a .pth file to what all versions share.
"""

import shutil
import tempfile
from pathlib import Path

from agent.packaging import archives, downloads, targets, trees
from instrument_watcher import __version__

PARTS = Path(__file__).with_name("linux")
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
DEB_PREFIX = "/usr/lib/instrument-watcher"
DESKTOP_ENTRY = "instrument-watcher.desktop"
SHARED = "../../any"  # from lib/pythonX.Y/site-packages


def build_deb(folder: Path, *, cache: Path, version: str = __version__) -> Path:
    """instrument-watcher_X.Y.Z_amd64.deb, the same bytes each time. Raises IndexAway."""
    place = folder / f"instrument-watcher_{version}_amd64.deb"
    with tempfile.TemporaryDirectory() as work:
        data, control = Path(work) / "data", Path(work) / "control"
        prefix = data / DEB_PREFIX.lstrip("/")
        _lay_out_packages(prefix / "lib", cache=cache, version=version)
        (prefix / "bin").mkdir()
        (prefix / "bin" / "python").symlink_to("/usr/bin/python3")
        (prefix / "pyvenv.cfg").write_text("home = /usr/bin\ninclude-system-site-packages = false\n")
        _write_program(data / "usr/bin/instrument-watcher", PARTS / "launcher.sh")
        _add_desktop_entry(data / "usr/share/applications")
        documents = data / "usr/share/doc/instrument-watcher"
        documents.mkdir(parents=True)
        shutil.copy(trees.AGENT.parent / "LICENSE", documents / "copyright")
        size = sum(path.lstat().st_size for path in data.rglob("*")) // 1024
        for script in ("postinst", "prerm"):
            _write_program(control / script, PARTS / script)
        text = (PARTS / "control").read_text().replace("@VERSION@", version).replace("@SIZE@", str(size))
        (control / "control").write_text(text)
        place.write_bytes(archives.deb_of(control, data))
    return place


def build_tar(folder: Path, *, cache: Path, version: str = __version__) -> Path:
    """instrument-watcher-X.Y.Z-linux-x86_64.tar.gz with an install.sh, the same bytes each time. Raises IndexAway."""
    name = f"instrument-watcher-{version}"
    place = folder / f"{name}-linux-x86_64.tar.gz"
    with tempfile.TemporaryDirectory() as work:
        tree = Path(work) / name
        _lay_out_packages(tree / "lib", cache=cache, version=version)
        shutil.copy(PARTS / "install.sh", tree / "install.sh")
        shutil.copy(PARTS / DESKTOP_ENTRY, tree / DESKTOP_ENTRY)
        shutil.copy(trees.AGENT.parent / "LICENSE", tree / "LICENSE")
        place.write_bytes(archives.tar_of(tree, below=name))
    return place


def _lay_out_packages(lib: Path, *, cache: Path, version: str) -> None:
    """lib/any for all Pythons and lib/pythonX.Y/site-packages for each."""
    wheels = {python: _wheels(python, cache=cache) for python in PYTHONS}
    names = [{wheel.name for wheel in found} for found in wheels.values()]
    shared = set.intersection(*names)
    for python, found in wheels.items():
        site_packages = lib / f"python{python}" / "site-packages"
        site_packages.mkdir(parents=True)
        trees.unpack_wheels([wheel for wheel in found if wheel.name not in shared], site_packages)
        (site_packages / "instrument-watcher.pth").write_text(f"{SHARED}\n")
    trees.unpack_wheels([wheel for wheel in wheels[PYTHONS[0]] if wheel.name in shared], lib / "any")
    trees.unpack_agent(lib / "any", version=version)


def _add_desktop_entry(applications: Path) -> None:
    applications.mkdir(parents=True)
    shutil.copy(PARTS / DESKTOP_ENTRY, applications / DESKTOP_ENTRY)


def _wheels(python: str, *, cache: Path) -> list[Path]:
    target = targets.linux(python)
    return downloads.download_wheels(targets.lines_of(trees.LOCK, target), target, cache=cache)


def _write_program(place: Path, part: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(part.read_text().replace("@PREFIX@", DEB_PREFIX))
    place.chmod(0o755)
