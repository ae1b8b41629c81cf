"""How the text of a personal access token is made and recognised, without the database.

It is `ids_`, 36 random base62 characters, then the CRC32 of all of that as 6 base62 characters, so that a typing
error or a foreign secret is refused without a query (docs/interface.md, Callers).
"""

import hashlib
import secrets
import zlib

TOKEN_PREFIX = "ids_"
BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
RANDOM_LENGTH, CHECK_LENGTH = 36, 6
TEXT_LENGTH = len(TOKEN_PREFIX) + RANDOM_LENGTH + CHECK_LENGTH


def generate_token_text() -> str:
    body = TOKEN_PREFIX + "".join(secrets.choice(BASE62) for _ in range(RANDOM_LENGTH))
    return body + token_checksum(body)


def token_checksum(body: str) -> str:
    value, digits = zlib.crc32(body.encode()), ""
    while value:
        value, rest = divmod(value, 62)
        digits = BASE62[rest] + digits
    return digits.rjust(CHECK_LENGTH, "0")


def is_well_formed(text: str) -> bool:
    return (
        len(text) == TEXT_LENGTH
        and text.isascii()
        and text.startswith(TOKEN_PREFIX)
        and token_checksum(text[:-CHECK_LENGTH]) == text[-CHECK_LENGTH:]
    )


def token_digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
