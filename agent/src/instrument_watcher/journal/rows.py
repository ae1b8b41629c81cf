"""What the journal knows about one file."""

from dataclasses import dataclass
from enum import Enum


class FileState(str, Enum):
    """Where a file is on its way.

    found -> reported -> uploaded is the way of almost every file; the others are ends, most of which a change of the
    file, a restored run or a new configuration leads out of.
    """

    FOUND = "found"  # complete, and the service does not know of it
    COMPARING = "comparing"  # it looks like a file that the service has, under this or another name: to be read first
    REPORTED = "reported"  # the service knows of it; it waits for its upload, or for a request of one
    UPLOADED = "uploaded"
    CHANGED = "changed"  # changed after the upload, and on_change says that the new version is not wanted
    DISMISSED = "dismissed"  # somebody decided on the service that it is not wanted
    STOPPED = "stopped"  # its run is deleted
    REFUSED = "refused"  # the service would not take it, or it belongs to no run
    GONE = "gone"  # it vanished before it was uploaded; it is looked at anew once it is back


SETTLED = (FileState.UPLOADED, FileState.CHANGED, FileState.DISMISSED)
UNDER_WAY = (FileState.FOUND, FileState.COMPARING, FileState.REPORTED)


@dataclass(frozen=True, slots=True)
class Sighting:
    """A file as the file system shows it; an inode or a `ctime_ns` of 0 is not known."""

    size: int
    mtime_ns: int
    inode: int = 0
    ctime_ns: int = 0

    def is_same_version(self, other: "Sighting") -> bool:
        return (self.size, self.mtime_ns) == (other.size, other.mtime_ns)

    def is_same_file(self, other: "Sighting") -> bool:
        """The same version, and not another file that was put in its place."""
        is_one_inode = not (self.inode and other.inode) or self.inode == other.inode
        return self.is_same_version(other) and is_one_inode

    def is_untouched(self, other: "Sighting") -> bool:
        """Nobody wrote to it, nor set its times, mode or names: programs may set back all but this."""
        return not (self.ctime_ns and other.ctime_ns) or self.ctime_ns == other.ctime_ns


@dataclass(frozen=True)
class Digest:
    """What one read of a file tells: SHA-256, CRC32 and the CRC32 of every MiB."""

    sha256: str
    crc32: str
    block_crcs: tuple[int, ...]


@dataclass(frozen=True)
class FileRow:
    """One line of the journal."""

    id: int
    path: str
    sighting: Sighting
    run_id: str | None
    state: FileState
    wanted: bool
    digest: Digest | None
    sha256: str | None  # also of what is uploaded, where the digest is forgotten
    file_id: int | None
    upload_id: str | None
    attempts: int
    reason: str | None
    uploaded_at: str | None


def split_path(path: str) -> tuple[str, str]:
    """The folder and the name; the folder of a file at the top is ''."""
    folder, _, name = path.rpartition("/")
    return folder, name


def join_path(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name
