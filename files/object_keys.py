"""Keys of stored files: `runs/{run uuid}/{file id}/{nonce}/{safe file name}` (docs/interface.md, Object keys).

The nonce is drawn anew for each set of bytes, so a key never means two of them. Where files may
share an object, its key is of another form (`files.shared.keys`).
"""

import re
import secrets
import unicodedata

from files.models import File
from files.shared.keys import is_shared_key

KEY_PREFIX = "runs/"
UNSAFE_CHARACTERS = re.compile(r"[^A-Za-z0-9._-]+")
MAX_SAFE_NAME_CHARS = 100


def new_key_nonce() -> str:
    return secrets.token_hex(16)


def build_storage_key(file: File, nonce: str) -> str:
    return f"{KEY_PREFIX}{file.run_id}/{file.pk}/{nonce}/{safe_name(file.filename)}"


def is_file_key(key: str) -> bool:
    """Whether keys of this form are made for files. What others put into the bucket is theirs."""
    return is_shared_key(key) or parse_file_id(key) is not None


def parse_file_id(key: str) -> int | None:
    """The file a key was made for; None where the key is not of that form."""
    segments = key.removeprefix(KEY_PREFIX).split("/")
    if not key.startswith(KEY_PREFIX) or len(segments) != 4:
        return None
    return int(segments[1]) if segments[1].isascii() and segments[1].isdigit() else None


def safe_name(filename: str) -> str:
    """For people who look into the bucket: ASCII letters, digits, dots, hyphens; the end of a long name is kept."""
    plain = unicodedata.normalize("NFKD", filename).encode("ascii", "ignore").decode()
    name = UNSAFE_CHARACTERS.sub("_", plain)[-MAX_SAFE_NAME_CHARS:].lstrip(".-")
    return name or "file"
