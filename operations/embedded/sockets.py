"""Where the unix sockets of a data directory lie."""

import fcntl
import hashlib
import os
import re
import signal
import socket
import stat
from contextlib import suppress
from pathlib import Path

from operations.embedded.errors import EmbeddedError
from operations.embedded.unprivileged import choose_identity

PLAIN_PATH = re.compile(
    r"[A-Za-z0-9/._-]{1,70}"
)  # a socket's path ends at 107 bytes; quoting in URLs is a trap of its own

BACKLOG = 128


def choose_socket_directory(data: Path) -> Path:
    """DATA/run, or a private directory under /tmp where that path is too long or not plain; the same at each start."""
    inside = data / "run"
    if PLAIN_PATH.fullmatch(str(inside)):
        return inside
    digest = hashlib.sha256(os.fsencode(data)).hexdigest()[:16]
    return Path(f"/tmp/ids-{os.geteuid()}-{digest}")  # noqa: S108 (short, and checked to be ours below)


def make_socket_directory(data: Path) -> Path:
    """Make it, open to us alone (or to the user that PostgreSQL runs as); a foreign one in its place is refused."""
    directory = choose_socket_directory(data)
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = directory.lstat()
    is_ours = stat.S_ISDIR(status.st_mode) and status.st_uid in (os.geteuid(), choose_identity().user)
    if not is_ours and not directory.is_relative_to(data):
        raise EmbeddedError(f"{directory} belongs to somebody else; remove it or choose another --data directory.")
    directory.chmod(0o700)
    return directory


def listen_in(path: Path) -> socket.socket:
    """A socket there, in place of one that a killed service left."""
    path.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(str(path))
    listener.listen(BACKLOG)
    listener.setblocking(False)
    return listener


def send_signal_of_connections(listener: socket.socket) -> None:
    """This process gets SIGIO when somebody connects, whoever accepts it, and has to wait for it: it is blocked.

    Else it would end who has not begun to wait.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGIO])
    fcntl.fcntl(listener, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(listener, fcntl.F_SETFL, fcntl.fcntl(listener, fcntl.F_GETFL) | os.O_ASYNC)


def remove_socket_directory(data: Path) -> None:
    """Leave nothing outside the data directory once the servers have stopped."""
    directory = choose_socket_directory(data)
    if not directory.is_relative_to(data):
        with suppress(OSError):  # a server that was killed left its socket there; the next start finds it again
            directory.rmdir()
