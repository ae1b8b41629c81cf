"""The files of releases in the object store: `releases/{sha256}`, so one file is there once, whatever names it.

What agents install is signed: Ed25519 over the file, with a key pair whose private half the service never needs.
"""

import base64
import binascii
import hashlib
import mmap
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.conf import settings

from accounts.callers import Caller
from files.media_types import OCTET_STREAM
from files.storage import object_store
from files.storage.interface import ObjectExists, StoredObject
from watchers.models import ReleaseInstaller, WatcherRelease
from watchers.releases import NewRelease, create_release
from wire.errors import ValidationError

KEY_PREFIX = "releases/"
SIGNATURE_BYTES = 64


class FileUnknown(ValidationError):
    def __init__(self) -> None:
        message = "No file with this checksum is in the store; add it with ./ids manage add_release."
        super().__init__(fields={"sha256": [message]})


class SignatureWrong(ValidationError):
    def __init__(self, message: str) -> None:
        super().__init__(fields={"signature": [message]})


def add_release(new: NewRelease, *, by: Caller | None, at: datetime) -> WatcherRelease:
    """As create_release, after the file in the store and its signature were looked at. Raises also FileUnknown,
    SignatureWrong."""
    if new.sha256 is None:
        if new.signature is not None:
            raise SignatureWrong("A signature needs the checksum of its file, sha256.")
        return create_release(new, by=by, at=at)
    stored = object_store().head(_key_of(new.sha256))
    if stored is None:
        raise FileUnknown
    if new.signature is not None:
        _refuse_wrong_signature(stored, new.signature)
    return create_release(replace(new, size_bytes=stored.size_bytes), by=by, at=at)


def store_release_file(path: Path) -> tuple[str, int]:
    """Put a file into the store, once; its SHA-256 and size."""
    with path.open("rb") as source:
        sha256 = hashlib.file_digest(source, "sha256").hexdigest()
        size = source.seek(0, 2)
        source.seek(0)
        with suppress(ObjectExists):
            object_store().put(_key_of(sha256), source, size_bytes=size, content_type=OCTET_STREAM)
    return sha256, size


def sign_update_url(release: WatcherRelease) -> str | None:
    """Where agents fetch what they install, for 15 minutes; None where the release has no file."""
    if release.sha256 is None:
        return None
    return _sign_url(release.sha256, filename=f"instrument-watcher-{release.version}.zip")


def sign_installer_url(installer: ReleaseInstaller) -> str:
    """Where a person downloads an installer, for 15 minutes."""
    return _sign_url(installer.sha256, filename=installer.filename)


def is_signed_by(public_key: str, *, signature: str, file: BinaryIO) -> bool:
    """Whether the signature is one of the whole file. The file is mapped, not read into memory."""
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped, memoryview(mapped) as content:
        try:
            key = Ed25519PublicKey.from_public_bytes(base64.b64decode(public_key))
            key.verify(base64.b64decode(signature), content)
        except InvalidSignature:
            return False
    return True


def _refuse_wrong_signature(stored: StoredObject, signature: str) -> None:
    if not _is_base64(signature, of_bytes=SIGNATURE_BYTES):
        raise SignatureWrong("64 bytes of Ed25519 in base64 are needed.")
    if settings.RELEASE_PUBLIC_KEY is None:
        return
    with _copied(stored) as file:
        if not is_signed_by(settings.RELEASE_PUBLIC_KEY, signature=signature, file=file):
            raise SignatureWrong("It is not one of this file with the key of RELEASE_PUBLIC_KEY.")


def _is_base64(text: str, *, of_bytes: int) -> bool:
    try:
        return len(base64.b64decode(text, validate=True)) == of_bytes
    except (binascii.Error, ValueError):
        return False


@contextmanager
def _copied(stored: StoredObject) -> Iterator[BinaryIO]:
    """On the disk, where it can be mapped."""
    with tempfile.TemporaryFile() as file, object_store().open_range(stored.key) as source:
        shutil.copyfileobj(source, file)
        file.flush()
        yield file


def _sign_url(sha256: str, *, filename: str) -> str:
    return object_store().presign_get(_key_of(sha256), filename=filename, content_type=OCTET_STREAM)


def _key_of(sha256: str) -> str:
    return f"{KEY_PREFIX}{sha256}"
