"""How the secrets of OAuth clients are kept: they are long and random, so one round of SHA-256 does, as for tokens.

A slow hash would guard nothing here, and let strangers make the service compute.
"""

import hashlib
from typing import Any

from django.contrib.auth.hashers import BasePasswordHasher
from django.utils.crypto import constant_time_compare


class RandomSecretHasher(BasePasswordHasher):
    """Known to Django by `algorithm`, before the first `$`."""

    algorithm = "random_sha256"

    def salt(self) -> str:
        return ""

    def encode(self, password: str, salt: str) -> str:
        return f"{self.algorithm}${hashlib.sha256(password.encode('utf-8', 'replace')).hexdigest()}"

    def verify(self, password: str, encoded: str) -> bool:
        return constant_time_compare(encoded, self.encode(password, ""))

    def decode(self, encoded: str) -> dict[str, Any]:
        return {"algorithm": self.algorithm, "hash": encoded.partition("$")[2], "salt": ""}

    def safe_summary(self, encoded: str) -> Any:
        return {"algorithm": self.algorithm}

    def harden_runtime(self, password: str, encoded: str) -> None:
        return None
