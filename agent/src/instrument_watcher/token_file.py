"""The token, in a file that only its user can read."""

import os
from pathlib import Path

from instrument_watcher.errors import AgentError, ExitCode
from instrument_watcher.platforms import permissions


class TokenMissing(AgentError):
    def __init__(self, path: Path) -> None:
        super().__init__(
            f"There is no token at {path}.", remedy="Give one with: instrument-watcher init", code=ExitCode.TOKEN
        )


def write_token(path: Path, token: str) -> None:
    """Replace the file in one step; it is never readable by others, not even for an instant."""
    new = path.with_name(path.name + ".new")
    new.unlink(missing_ok=True)
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    permissions.restrict_to_user(new)
    with os.fdopen(descriptor, "w", encoding="ascii") as stream:
        stream.write(token.strip() + "\n")
    new.replace(path)


def read_token(path: Path) -> str:
    """Raises TokenMissing."""
    try:
        token = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        raise TokenMissing(path) from None
    if not token:
        raise TokenMissing(path)
    return token
