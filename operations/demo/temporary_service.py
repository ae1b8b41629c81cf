"""A service of its own with the demonstration laboratory, for as long as its pictures are taken."""

import os
import secrets
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile

from operations.embedded.programs import CHECKOUT

ADMIN = ("robin@lab.example", "Robin Weiss")
EXCLUDED_VARIABLES = ("DATABASE_", "REDIS_", "S3_", "IDS_", "PUBLIC_URL", "SECRET_KEY")
IDS_COMMAND = str(CHECKOUT / "ids")


class ServiceNotStarted(Exception):
    """The service did not come up; the text is what it said."""


@dataclass(frozen=True)
class TemporaryService:
    """A running, empty service; `first_link` makes its first admin."""

    url: str
    first_link: str
    data: Path
    password: str

    def add_admin(self) -> None:
        self.run_command("create_admin", ADMIN[0], "--name", ADMIN[1])

    def run_command(self, *arguments: str) -> None:
        command = [IDS_COMMAND, "manage", "--data", str(self.data), *arguments]
        environ = _build_environment() | {"IDS_ADMIN_PASSWORD": self.password}
        done = subprocess.run(command, env=environ, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode:
            raise ServiceNotStarted(done.stderr)


@contextmanager
def start_temporary_service() -> Iterator[TemporaryService]:
    """Apart from the service of IDS_DATA: nobody's data is in a picture, and nothing is left behind."""
    with TemporaryDirectory(prefix="ids-pictures-") as home, TemporaryFile("w+") as said:
        data = Path(home) / "data"
        command = [IDS_COMMAND, "serve", "--data", str(data), "--port", "0"]
        service = subprocess.Popen(
            command, env=_build_environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=said
        )
        try:
            assert service.stdout is not None
            lines = [service.stdout.readline().decode() for _ in range(2)]
            if not all(lines):
                said.seek(0)
                raise ServiceNotStarted(said.read())
            url, first_link = (line.split()[-1] for line in lines)
            yield TemporaryService(url, first_link, data, secrets.token_urlsafe())
        finally:
            service.terminate()
            service.wait()


def _build_environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(EXCLUDED_VARIABLES)}
