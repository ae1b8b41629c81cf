"""Archives that depend on their content alone: no clock, no user, no order of a file system."""

import gzip
import io
import tarfile
from pathlib import Path

EPOCH = 1_600_000_000


def tar_of(tree: Path, *, below: str) -> bytes:
    """A gzipped tar of everything in the tree, under another name; owned by root. GNU's format: dpkg reads no PAX."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for path in (tree, *sorted(tree.rglob("*"))):
            inner = path.relative_to(tree).as_posix()
            archive.addfile(*_member(path, below if inner == "." else f"{below}/{inner}"))
    return gzip.compress(plain.getvalue(), mtime=0)


def deb_of(control: Path, data: Path) -> bytes:
    """A Debian package (deb(5)): an ar archive of a version and two tars."""
    members = {
        "debian-binary": b"2.0\n",
        "control.tar.gz": tar_of(control, below="."),
        "data.tar.gz": tar_of(data, below="."),
    }
    return b"!<arch>\n" + b"".join(_ar_member(name, content) for name, content in members.items())


def _member(path: Path, name: str) -> tuple[tarfile.TarInfo, io.BytesIO | None]:
    info = tarfile.TarInfo(name)
    info.mtime = EPOCH
    if path.is_symlink():
        info.type, info.linkname, info.mode = tarfile.SYMTYPE, str(path.readlink()), 0o777
        return info, None
    if path.is_dir():
        info.type, info.mode = tarfile.DIRTYPE, 0o755
        return info, None
    content = path.read_bytes()
    info.size, info.mode = len(content), 0o755 if path.stat().st_mode & 0o100 else 0o644
    return info, io.BytesIO(content)


def _ar_member(name: str, content: bytes) -> bytes:
    header = f"{name:<16}{EPOCH:<12}{0:<6}{0:<6}{'100644':<8}{len(content):<10}`\n".encode()
    return header + content + b"\n" * (len(content) % 2)
