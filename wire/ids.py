"""Identifiers of everything the service makes."""

import secrets
import threading
import time
import uuid

COUNTER_BITS = 12
_lock = threading.Lock()
_last = 0  # milliseconds and counter of the newest id of this process


def new_id() -> uuid.UUID:
    """A UUIDv7 (RFC 9562, 5.7): 48 bits of Unix milliseconds, a counter of 12 bits (6.2, method 1), 62 random bits.

    Ids sort by time, and those of one process by the order in which they were made.
    """
    moment, counter = divmod(_next(), 1 << COUNTER_BITS)
    return uuid.UUID(int=(moment & (1 << 48) - 1) << 80 | 0x7 << 76 | counter << 64 | 0b10 << 62 | secrets.randbits(62))


def _next() -> int:
    """A new millisecond begins the counter anew, with room to grow; a full one borrows from the next millisecond."""
    global _last
    begin = time.time_ns() // 1_000_000 << COUNTER_BITS | secrets.randbits(COUNTER_BITS - 1)
    with _lock:
        _last = begin if begin >> COUNTER_BITS > _last >> COUNTER_BITS else _last + 1
        return _last
