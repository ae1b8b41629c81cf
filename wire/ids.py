"""Identifiers of everything the service makes."""

import secrets
import time
import uuid


def new_id() -> uuid.UUID:
    """A UUIDv7 (RFC 9562, 5.7): 48 bits of Unix milliseconds, then 74 random bits, so that neighbours in time sort."""
    milliseconds = time.time_ns() // 1_000_000
    value = (
        (milliseconds & (1 << 48) - 1) << 80
        | 0x7 << 76
        | secrets.randbits(12) << 64
        | 0b10 << 62
        | secrets.randbits(62)
    )
    return uuid.UUID(int=value)
