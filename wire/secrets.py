"""Secrets of other services at rest: sealed with a key that is derived from SECRET_KEY and stands in no table."""

import base64
import hashlib

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings


def encrypt_secret(secret: str) -> str:
    return _fernet().encrypt(secret.encode()).decode()


def decrypt_secret(sealed: str) -> str | None:
    """None where SECRET_KEY is not the one it was sealed with: then it has to be given again."""
    try:
        return _fernet().decrypt(sealed.encode()).decode()
    except InvalidToken:
        return None


def _fernet() -> Fernet:
    key = hashlib.sha256(b"integration secrets\0" + settings.SECRET_KEY.encode()).digest()
    return Fernet(base64.urlsafe_b64encode(key))
