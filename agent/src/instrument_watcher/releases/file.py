"""The file of a release: who signed it, and what of it is for this computer.

A ZIP with `release.json` {version, platforms}, `any/` with the packages for all, and a folder with those that are
compiled for one platform and Python, such as `linux-x86_64-3.11/` (agent/packaging/updates.py makes it).
"""

import base64
import binascii
import hashlib
import json
import mmap
import platform
import shutil
import sys
import zipfile
from pathlib import Path, PurePosixPath

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from instrument_watcher.upgrading import UpdateRefused

ABOUT, SHARED = "release.json", "any"
NOT_OURS = "Nothing was installed. An admin looks at the release in the dashboard, Settings, Watcher releases."


def platform_name() -> str:
    """As the folders of a release are called."""
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    return f"{sys.platform}-{platform.machine().lower()}-{python}"


def refuse_other_bytes(file: Path, *, sha256: str) -> None:
    """Raises UpdateRefused."""
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    if digest.hexdigest() != sha256:
        raise UpdateRefused("The file of the release was damaged on its way: its SHA-256 differs.", remedy=NOT_OURS)


def refuse_wrong_signature(file: Path, *, signature: str | None, public_key: str) -> None:
    """Raises UpdateRefused. The file is mapped, not read into memory."""
    if signature is None:
        raise UpdateRefused("The release is not signed, and this computer takes signed ones only.", remedy=NOT_OURS)
    try:
        key = Ed25519PublicKey.from_public_bytes(base64.b64decode(public_key, validate=True))
        with (
            file.open("rb") as stream,
            mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as mapped,
            memoryview(mapped) as content,
        ):
            key.verify(base64.b64decode(signature, validate=True), content)
    except (InvalidSignature, binascii.Error, ValueError):
        raise UpdateRefused(
            "The release is not signed with the key that this computer was given when it enrolled.", remedy=NOT_OURS
        ) from None


def unpack(file: Path, folder: Path, *, version: str) -> None:
    """What of the file is for this computer, all or nothing. Raises UpdateRefused."""
    new, ours = folder.with_name(f"{folder.name}.new"), platform_name()
    shutil.rmtree(new, ignore_errors=True)
    try:
        with zipfile.ZipFile(file) as content:
            about = json.loads(content.read(ABOUT))
            if about["version"] != version:
                raise UpdateRefused(f"The file is one of version {about['version']}.", remedy=NOT_OURS)
            if ours not in about["platforms"]:
                raise UpdateRefused(
                    f"Version {version} holds nothing for {ours}.",
                    remedy="Install it by hand; the dashboard says how: Watchers, Connect an instrument.",
                )
            for member in content.infolist():
                _extract(content, member, new, parts=(SHARED, ours))
    except (zipfile.BadZipFile, KeyError, ValueError, TypeError) as error:
        raise UpdateRefused(f"The file is none of a release: {error}", remedy=NOT_OURS) from None
    shutil.rmtree(folder, ignore_errors=True)
    new.rename(folder)


def _extract(content: zipfile.ZipFile, member: zipfile.ZipInfo, folder: Path, *, parts: tuple[str, ...]) -> None:
    path = PurePosixPath(member.filename)
    if member.is_dir() or path.parts[0] not in parts:
        return
    if ".." in path.parts or "\\" in member.filename or ":" in member.filename:
        raise ValueError(f"it holds {member.filename}")
    place = folder.joinpath(*path.parts[1:])
    place.parent.mkdir(parents=True, exist_ok=True)
    with content.open(member) as source, place.open("wb") as target:
        shutil.copyfileobj(source, target)
