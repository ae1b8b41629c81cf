"""The directory layout of the local store.

    <root>/<key>@/data         the bytes of one object, readable with any tool
    <root>/<key>@/about.json   its type, size and CRC32; published together with the bytes by one rename
    <root>/.staging/<random>/  an object on its way in, or on its way out
    <root>/.uploads/<id>/      an open multipart upload (see `local_uploads`)
    <root>/.damaged/<key>-…/   what lay under a key before it was healed (see `mending`)

Keys have neither `@` nor a segment that begins with a dot, so the four never meet.
"""

import errno
import io
import json
import os
import re
import secrets
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from files.storage.disk import PRIVATE, make_directory, make_names, write_file, write_new_file
from files.storage.interface import ObjectMissing, StoredObject, UploadMissing
from files.storage.keys import check_key

DATA_FILE = "data"
DESCRIPTION_FILE = "about.json"
UPLOAD_ID = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True)
class ObjectDescription:
    """What is kept beside the bytes."""

    content_type: str
    size_bytes: int
    crc32: str
    etag: str


@dataclass(frozen=True)
class Layout:
    """`group_reads`: the group reads what is published; else nobody but the service's own user does."""

    root: Path
    group_reads: bool = False

    @property
    def directory_mode(self) -> int:
        return 0o750 if self.group_reads else PRIVATE

    @property
    def staging(self) -> Path:
        return self.root / ".staging"

    @property
    def damaged(self) -> Path:
        return self.root / ".damaged"

    @property
    def uploads(self) -> Path:
        return self.root / ".uploads"

    def object_directory(self, key: str) -> Path:
        return self.root / f"{check_key(key)}@"

    def open_data(self, key: str) -> io.FileIO:
        """The file with the object's bytes. Raises ObjectMissing."""
        try:
            return (self.object_directory(key) / DATA_FILE).open("rb", buffering=0)
        except FileNotFoundError:
            raise ObjectMissing(key) from None

    def upload(self, upload_id: str) -> Path:
        if not UPLOAD_ID.fullmatch(upload_id):
            raise UploadMissing(upload_id)
        return self.uploads / upload_id

    def new_staging_path(self) -> Path:
        """A name in the staging area that nothing has."""
        make_directory(self.staging, root=self.root, mode=self.directory_mode)
        return self.staging / secrets.token_hex(16)

    def make_staging_directory(self) -> Path:
        staged = self.new_staging_path()
        staged.mkdir(mode=0o700)
        return staged

    def open_to_group(self, staged: Path) -> None:
        """The bytes of an object and its directory, before they are synced and published."""
        if self.group_reads:
            (staged / DATA_FILE).chmod(0o640)
            staged.chmod(self.directory_mode)

    def make_parents(self, target: Path) -> None:
        make_names(target.parent, root=self.root, mode=self.directory_mode)

    def keys(self, prefix: str, *, after: str = "") -> Iterator[str]:
        """The keys of published objects that begin with `prefix` and follow `after`, in byte order."""
        folder = prefix.rpartition("/")[0]
        return (key for key in _keys_below(self.root / folder, folder, after) if key.startswith(prefix) and key > after)


def new_etag(crc32: str) -> str:
    """Unlike for every write, as If-Range needs."""
    return f"{crc32}-{secrets.token_hex(4)}"


def write_first_description(directory: Path, about: ObjectDescription) -> None:
    """Into a directory that nobody sees yet. Its bytes are on disk; the name is once the directory is synced."""
    write_new_file(directory / DESCRIPTION_FILE, json.dumps(asdict(about)).encode())


def write_description(directory: Path, about: ObjectDescription) -> None:
    write_file(directory / DESCRIPTION_FILE, json.dumps(asdict(about)).encode())


def read_object(directory: Path, key: str) -> StoredObject | None:
    """The published object in `directory`. Its size is what the disk says, so that a reader can tell a damaged one."""
    stored = inspect_object(directory, key)
    if stored is not None and stored.is_damaged:
        raise OSError(errno.EIO, f"damaged description of {key}")
    return stored


def inspect_object(directory: Path, key: str) -> StoredObject | None:
    """As `read_object`, but a damaged object is answered as such instead of raising."""
    try:
        written = (directory / DESCRIPTION_FILE).read_bytes()
        status = (directory / DATA_FILE).stat()
    except FileNotFoundError:
        return None
    modified_at = datetime.fromtimestamp(status.st_mtime, UTC)
    try:
        about = ObjectDescription(**json.loads(written))
    except (ValueError, TypeError):
        return StoredObject(key, status.st_size, None, "", None, modified_at, is_damaged=True)
    return StoredObject(key, status.st_size, about.crc32, about.etag, about.content_type, modified_at)


def last_modified_at(directory: Path) -> datetime:
    """The newest change of a directory or of anything in it. Raises FileNotFoundError when it went away."""
    return datetime.fromtimestamp(max(path.stat().st_mtime for path in [directory, *directory.rglob("*")]), UTC)


def _keys_below(directory: Path, folder: str, after: str) -> Iterator[str]:
    """In byte order of whole keys: siblings compare with the `/` that follows a directory's name."""
    try:
        with os.scandir(directory) as entries:
            names = [entry.name for entry in entries if entry.is_dir() and not entry.name.startswith(".")]
    except FileNotFoundError:
        return
    for name in sorted(name[:-1] if name.endswith("@") else f"{name}/" for name in names):
        path = f"{folder}/{name}" if folder else name
        if not path.endswith("/"):
            yield path
        elif path > after or after.startswith(path):
            yield from _keys_below(directory / name, path[:-1], after)
