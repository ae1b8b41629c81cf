"""The data directory: its places, its secret, and the one process that may hold it."""

import fcntl
import json
import os
import pwd
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

from operations.embedded.errors import EmbeddedError
from operations.embedded.passwords import make_secret
from operations.embedded.sockets import make_socket_directory, remove_socket_directory

PRIVATE_MODE = 0o700


@dataclass(frozen=True)
class Holder:
    """Who holds the directory, and since when it can be used."""

    command: str
    pid: int
    public_url: str | None = None
    is_ready: bool = False


class DataDirectoryBusy(EmbeddedError):
    def __init__(self, path: Path, holder: Holder | None) -> None:
        self.holder = holder
        by = f"./ids {holder.command} (process {holder.pid})" if holder else "another ./ids"
        super().__init__(
            f"The data directory {path} is in use by {by}: stop that first, or choose another with --data."
        )


class DataDirectoryGone(EmbeddedError):
    def __init__(self, path: Path) -> None:
        super().__init__(
            f"The data directory {path} is no longer there (removed, moved, or its disk is gone). Everything is "
            "stopped, so that nothing is written beside it; bring it back before you start again."
        )


@dataclass(frozen=True)
class DataDirectory:
    path: Path

    @property
    def logs(self) -> Path:
        return self.path / "logs"

    @property
    def demo(self) -> Path:
        return self.path / "demo"

    @property
    def holder_file(self) -> Path:
        return self.path / "service.json"

    def prepare(self) -> None:
        """Make what is missing; refuse what belongs to another user, whose files we would make unreadable to him."""
        try:
            self.path.mkdir(mode=PRIVATE_MODE, parents=True, exist_ok=True)
            for place in (self.logs, self.path / "objects"):
                place.mkdir(mode=PRIVATE_MODE, exist_ok=True)
            self.holder_file.touch(mode=0o600)
        except OSError as error:
            raise EmbeddedError(f"The data directory {self.path} cannot be written: {error.strerror}.") from None
        owner = self.holder_file.stat().st_uid
        if owner != os.geteuid():
            raise EmbeddedError(
                f"The data directory {self.path} belongs to {_describe_user(owner)}; run this as that user."
            )

    def sockets(self) -> Path:
        return make_socket_directory(self.path)

    def secret_key(self) -> str:
        return make_secret(self.path / "secret_key")

    def holder(self) -> Holder | None:
        """What the last holder wrote; None before the first, and for an instant while it is being written."""
        try:
            return Holder(**json.loads(self.holder_file.read_text()))
        except (FileNotFoundError, ValueError, TypeError):
            return None

    def claim(self) -> "Claim":
        return Claim(self)


class Claim:
    """The exclusive hold on a data directory. The kernel takes it back when this process ends, however it ends."""

    def __init__(self, directory: DataDirectory) -> None:
        self.directory = directory
        self.file = directory.holder_file.open("r+")
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.file.close()
            raise DataDirectoryBusy(directory.path, directory.holder()) from None

    def write(self, holder: Holder) -> None:
        self.file.seek(0)
        self.file.truncate()
        self.file.write(json.dumps(asdict(holder)))
        self.file.flush()

    def check(self) -> None:
        """Raises DataDirectoryGone where what we hold no longer lies at its path."""
        try:
            is_same = os.path.samestat(os.fstat(self.file.fileno()), self.directory.holder_file.stat())
            is_here = is_same and self.directory.logs.is_dir()  # what is being removed goes piece by piece
        except OSError:
            is_here = False
        if not is_here:
            raise DataDirectoryGone(self.directory.path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        remove_socket_directory(self.directory.path)
        self.file.close()


def _describe_user(user: int) -> str:
    try:
        return f"the user {pwd.getpwuid(user).pw_name}"
    except KeyError:
        return f"the user with the id {user}"
