"""Signatures as Standard Webhooks has them: https://www.standardwebhooks.com, specification 1.0."""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Sequence

PREFIX = "whsec_"
SECRET_BYTES = 32


def generate_secret() -> str:
    return PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def sign_message(body: bytes, *, message_id: str, timestamp: int, keys: Sequence[str]) -> dict[str, str]:
    """The three headers; `keys` are secrets with their prefix, each of which signs."""
    signed = f"{message_id}.{timestamp}.".encode() + body
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(_sign(signed, key=key) for key in keys),
    }


def _sign(signed: bytes, *, key: str) -> str:
    raw = base64.b64decode(key.removeprefix(PREFIX))
    return "v1," + base64.b64encode(hmac.new(raw, signed, hashlib.sha256).digest()).decode()
