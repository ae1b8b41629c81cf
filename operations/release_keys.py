"""Signing releases with a private key in a file."""

import base64
import mmap
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from django.core.management.base import CommandError


def read_private_key(file: Path) -> Ed25519PrivateKey:
    """Raises CommandError."""
    try:
        key = load_pem_private_key(file.read_bytes(), password=None)
    except (OSError, ValueError, TypeError) as error:
        raise CommandError(f"{file} cannot be read as a private key: {error}") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise CommandError(f"{file} holds a key of another kind; Ed25519 is needed.")
    return key


def sign_file(file: Path, *, key: Ed25519PrivateKey) -> str:
    """Ed25519 over the whole file, in base64."""
    with (
        file.open("rb") as stream,
        mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as mapped,
        memoryview(mapped) as content,
    ):
        return base64.b64encode(key.sign(content)).decode()
