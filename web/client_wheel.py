"""The wheel of the Python client, made from client/ of this checkout: the same bytes from the same sources."""

import base64
import csv
import hashlib
import io
import re
import tomllib
import zipfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

CLIENT = Path(__file__).parents[1] / "client"
PACKAGE = "instrument_data"
SOURCES = (".py", ".typed")
VERSION = re.compile(r'(?m)^__version__ = "([^"]+)"$')
EPOCH = (2026, 1, 1, 0, 0, 0)  # one time for everything: the archive keeps it
TAG = "Wheel-Version: 1.0\nGenerator: instrument-data-service\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


@dataclass(frozen=True)
class Wheel:
    filename: str
    version: str
    data: bytes

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.data).hexdigest()


@cache
def build_wheel() -> Wheel:
    """Built once a process; the sources cannot change while it lives."""
    project = tomllib.loads((CLIENT / "pyproject.toml").read_text())["project"]
    files = read_sources()
    version = find_version(files[f"{PACKAGE}/version.py"].decode())
    info = f"{PACKAGE}-{version}.dist-info"
    files |= {
        f"{info}/METADATA": write_metadata(project, version).encode(),
        f"{info}/WHEEL": TAG.encode(),
        f"{info}/entry_points.txt": write_entry_points(project).encode(),
    }
    files[f"{info}/RECORD"] = write_record(files, f"{info}/RECORD").encode()
    return Wheel(f"{PACKAGE}-{version}-py3-none-any.whl", version, pack(files))


def read_sources() -> dict[str, bytes]:
    source = CLIENT / "src"
    paths = sorted(path for path in (source / PACKAGE).rglob("*") if path.suffix in SOURCES)
    paths.append(source / f"{PACKAGE}_command.py")
    return {path.relative_to(source).as_posix(): path.read_bytes() for path in paths}


def find_version(text: str) -> str:
    found = VERSION.search(text)
    if found is None:
        raise ValueError(f"{PACKAGE}/version.py names no version.")
    return found[1]


def write_metadata(project: dict[str, Any], version: str) -> str:
    """Core metadata 2.1, with the description in its body."""
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {version}",
        f"Summary: {project['description']}",
        f"License: {project['license']}",
        f"Requires-Python: {project['requires-python']}",
        *(f"Requires-Dist: {one}" for one in project["dependencies"]),
    ]
    for extra, requirements in sorted(project["optional-dependencies"].items()):
        lines += [f"Provides-Extra: {extra}", *(f'Requires-Dist: {one}; extra == "{extra}"' for one in requirements)]
    return "\n".join([*lines, "Description-Content-Type: text/markdown", "", (CLIENT / "README.md").read_text()])


def write_entry_points(project: dict[str, Any]) -> str:
    return "\n".join(["[console_scripts]", *(f"{name} = {place}" for name, place in project["scripts"].items()), ""])


def write_record(files: dict[str, bytes], own: str) -> str:
    """Each file with its digest and size; its own line has neither."""
    sink = io.StringIO()
    lines = csv.writer(sink, lineterminator="\n")
    lines.writerows([name, f"sha256={digest_of(data)}", len(data)] for name, data in files.items())
    lines.writerow([own, "", ""])
    return sink.getvalue()


def digest_of(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def pack(files: dict[str, bytes]) -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return sink.getvalue()
