"""The key pair of releases: the private half stays in a file of yours, which the running service never reads."""

import base64
import getpass
import os
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from django.core.management.base import BaseCommand, CommandError

from operations.release_keys import read_private_key


class Command(BaseCommand):
    help = """Make the key pair that signs releases of the agent, in FILE, and print the setting with its public half.
Where FILE is there already, only print. Keep FILE away from the service: whoever has it can run code on every
instrument's computer."""
    requires_system_checks = ()

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")

    def handle(self, *, file: Path, **options: Any) -> None:
        try:
            if not file.exists():
                _write_private_key(file)
            public = read_private_key(file).public_key().public_bytes_raw()
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror} (for {getpass.getuser()})") from None
        self.stdout.write(f"RELEASE_PUBLIC_KEY={base64.b64encode(public).decode()}")


def _write_private_key(file: Path) -> None:
    """PKCS #8 in PEM, as openssl reads it; never readable by others."""
    text = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
        stream.write(text)
