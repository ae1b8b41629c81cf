"""Laying out an agent with everything it needs, as folders; archives and installers are made of these."""

import os
import re
import zipfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

AGENT = Path(__file__).parents[1]
LOCK = AGENT / "requirements.lock"
NAME = "instrument_watcher"
VERSION = re.compile(r"(?m)^(__version__ = ).*$")
EMBEDDED_FOLDER = "cp311/"
EMBEDDED_PATHS = "python311.zip\r\n.\r\nLib\\site-packages\r\nimport site\r\n"
SOURCES = (".py", ".css", ".js", ".svg")
LIBRARIES = ("purelib", "platlib")
# of pywin32: an editor, COM, databases and a manual, which the agent has no use for
NOT_NEEDED = ("PyWin32.chm", "adodbapi", "isapi", "pythonwin", "win32com", "win32comext")


def lay_out_embedded_python(archive: Path, place: Path) -> Path:
    """CPython for Windows with site-packages of its own; answers these."""
    with zipfile.ZipFile(archive) as content:
        for name in content.namelist():
            inner = name.removeprefix(EMBEDDED_FOLDER)
            if inner and not name.endswith("/"):
                _write(place / inner, content.read(name))
    (place / "python311._pth").write_text(EMBEDDED_PATHS, newline="")
    return place / "Lib" / "site-packages"


def unpack_wheels(wheels: Iterable[Path], site_packages: Path) -> None:
    """Libraries only: scripts and data of a wheel have no place here."""
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as content:
            for name in content.namelist():
                inner = _place_of(name)
                if inner is not None and not name.endswith("/"):
                    _write(site_packages / inner, content.read(name))


def unpack_agent(site_packages: Path, *, version: str) -> None:
    """The agent of this checkout as pip would leave it, so that it knows its own version and name."""
    source = AGENT / "src" / NAME
    for path in sorted(source.rglob("*")):
        if path.is_file() and path.suffix in SOURCES:
            _write(site_packages / NAME / path.relative_to(source), path.read_bytes())
    named = VERSION.sub(f'\\g<1>"{version}"', (source / "__init__.py").read_text())
    _write(site_packages / NAME / "__init__.py", named.encode())
    metadata = f"Metadata-Version: 2.1\nName: instrument-watcher\nVersion: {version}\n"
    _write(site_packages / f"{NAME}-{version}.dist-info" / "METADATA", metadata.encode())


def set_times(tree: Path, epoch: int) -> None:
    """One time for everything: archives keep it."""
    for path in (tree, *tree.rglob("*")):
        os.utime(path, (epoch, epoch), follow_symlinks=False)


def _place_of(name: str) -> PurePosixPath | None:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise ValueError(f"The wheel holds {name}.")
    if path.parts[0] in NOT_NEEDED:
        return None
    if not path.parts[0].endswith(".data"):
        return path
    return PurePosixPath(*path.parts[2:]) if path.parts[1] in LIBRARIES else None


def _write(place: Path, data: bytes) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)
