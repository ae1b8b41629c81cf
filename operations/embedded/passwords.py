"""Secrets of a data directory that it makes itself: each once, in a file that we alone read."""

import os
import secrets
from contextlib import suppress
from pathlib import Path

RANDOM_BYTES = 50


def make_secret(file: Path) -> str:
    """What the file says. Of two who make it at the same time, the first one's stays."""
    if not file.exists():
        file.parent.mkdir(mode=0o700, exist_ok=True)
        part = file.with_name(f"{file.name}.{os.getpid()}")
        part.touch(mode=0o600)
        part.write_text(secrets.token_urlsafe(RANDOM_BYTES))
        with suppress(FileExistsError):
            file.hardlink_to(part)
        part.unlink()
    return file.read_text()


def password_of(data: Path, account: str) -> str:
    """Of an account of the embedded servers; letters, digits, - and _ only, so it can stand in a URL."""
    return make_secret(data / "passwords" / account)
