"""Keys of stored files: `runs/{run uuid}/{file id}/{upload id}/{safe file name}` (contract section 3).

The upload id is drawn anew for each set of bytes, so a key never means two of them.
"""

import re
import secrets
import unicodedata

from files.models import File

RUNS = "runs/"
UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
MAX_SAFE_NAME = 100


def new_upload_id() -> str:
    return secrets.token_hex(16)


def key_of(file: File, upload_id: str) -> str:
    return f"{RUNS}{file.run_id}/{file.pk}/{upload_id}/{safe_name(file.filename)}"


def file_id_of(key: str) -> int | None:
    """The file a key was made for; None where the key is not of that form."""
    segments = key.removeprefix(RUNS).split("/")
    if not key.startswith(RUNS) or len(segments) != 4:
        return None
    return int(segments[1]) if segments[1].isascii() and segments[1].isdigit() else None


def safe_name(filename: str) -> str:
    """For people who look into the bucket: ASCII letters, digits, dots, hyphens; the end of a long name is kept."""
    plain = unicodedata.normalize("NFKD", filename).encode("ascii", "ignore").decode()
    name = UNSAFE.sub("_", plain)[-MAX_SAFE_NAME:].lstrip(".-")
    return name or "file"
