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


class SignatureWrong(ValidationError):
    def __init__(self, message: str) -> None:
        super().__init__(fields={"signature": [message]})


def add_release(new: NewRelease, *, by: Caller | None, at: datetime) -> WatcherRelease:
    """As create_release, after its signature was looked at, and the file where it is in the store already.

    Raises also SignatureWrong.
    """
    if new.sha256 is None:
        if new.signature is not None:
            raise SignatureWrong("A signature needs the checksum of its file, sha256.")
        return create_release(new, by=by, at=at)
    return create_release(replace(new, size_bytes=_measure(new.sha256, new.signature)), by=by, at=at)


def note_stored_file(release: WatcherRelease) -> None:
    """Let agents fetch the file of a release that was there before it. Raises SignatureWrong."""
    if release.sha256 is not None and release.size_bytes is None:
        release.size_bytes = _measure(release.sha256, release.signature)
        release.save(update_fields=["size_bytes"])


def _measure(sha256: str, signature: str | None) -> int | None:
    """The bytes of the file; None where it is not in the store. Raises SignatureWrong."""
    stored = object_store().head(_key_of(sha256))
    if signature is not None:
        _refuse_wrong_signature(stored, signature)
    return stored.size_bytes if stored else None


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
    """Where agents fetch what they install, for 15 minutes; None where the release has no file, or none yet."""
    if release.sha256 is None or release.size_bytes is None:
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


def _refuse_wrong_signature(stored: StoredObject | None, signature: str) -> None:
    """By its form, and by the file where there is one: agents look at it again, whatever they were told."""
    if not _is_base64(signature, of_bytes=SIGNATURE_BYTES):
        raise SignatureWrong("64 bytes of Ed25519 in base64 are needed.")
    if stored is None or settings.RELEASE_PUBLIC_KEY is None:
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
