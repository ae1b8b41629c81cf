"""ZIP archives that hold one file, packed for a mail or a download: what is in it is what was measured."""

import shutil
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from processing.gzip_files import MAX_UNPACKED_BYTES
from processing.readings import MIB, Unreadable

ZIP_EXTENSION = ".zip"
SYSTEM_FOLDERS, SYSTEM_FILES = {"__MACOSX"}, {"Thumbs.db", "desktop.ini"}


def list_members(path: Path) -> list[str]:
    """The files of an archive that is called one, without those that desktops add; none of anything else."""
    if path.suffix.lower() != ZIP_EXTENSION or not zipfile.is_zipfile(path):
        return []
    try:
        with zipfile.ZipFile(path) as archive:
            return [member.filename for member in archive.infolist() if not member.is_dir() and is_own(member.filename)]
    except zipfile.BadZipFile:
        return []


def is_own(name: str) -> bool:
    *folders, last = PurePosixPath(name).parts or ("",)
    return not SYSTEM_FOLDERS & {*folders} and not last.startswith(".") and last not in SYSTEM_FILES


def find_only_member(path: Path) -> str | None:
    members = list_members(path)
    return members[0] if len(members) == 1 else None


def unpack_member(path: Path, name: str, *, folder: Path) -> Path:
    """Below its own name, without the folders that it lay in. Unreadable: it is damaged, locked, or too large."""
    to = folder / (PurePosixPath(name.replace("\\", "/")).name or "file")
    try:
        with zipfile.ZipFile(path) as archive:
            if archive.getinfo(name).file_size > MAX_UNPACKED_BYTES:
                raise Unreadable(f"It unpacks to more than {MAX_UNPACKED_BYTES // MIB} MiB.")
            with archive.open(name) as packed, to.open("xb") as unpacked:
                shutil.copyfileobj(packed, unpacked)  # no more than what it states
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, KeyError) as error:
        raise Unreadable("The archive is damaged, or packed in a way that is not read.") from error
    except RuntimeError as error:
        raise Unreadable("The archive is locked by a password.") from error
    return to
