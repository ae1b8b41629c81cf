"""Secrets of other services at rest: sealed with a key that is derived from SECRET_KEY and stands in no table."""

import base64
import hashlib

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings


def seal(secret: str) -> str:
    return _box().encrypt(secret.encode()).decode()


def unseal(sealed: str) -> str | None:
    """None where SECRET_KEY is not the one it was sealed with: then it has to be given again."""
    try:
        return _box().decrypt(sealed.encode()).decode()
    except InvalidToken:
        return None


def _box() -> Fernet:
    key = hashlib.sha256(b"integration secrets\0" + settings.SECRET_KEY.encode()).digest()
    return Fernet(base64.urlsafe_b64encode(key))
