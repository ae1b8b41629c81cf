"""Who may see the page: whoever can read a key in the agent's home, which only its user can.

The key itself never leaves the home. `open` makes a ticket of it, an address that is good once and for a minute, so
that nothing is won by reading a browser's history or the arguments of its process; the page trades the ticket for a
cookie. Both are an end of validity and a nonce, signed.
"""

import hashlib
import hmac
import secrets
import threading
import time
from enum import Enum
from pathlib import Path

from instrument_watcher.token_file import TokenMissing, read_token, write_token

KEY_BYTES = 32


class Purpose(str, Enum):
    """What a signed text is good for. The one never passes for the other."""

    TICKET = "ticket"
    SESSION = "session"


SECONDS = {Purpose.TICKET: 60, Purpose.SESSION: 12 * 3600}


def ensure_key(path: Path) -> bytes:
    """The key, made where there is none or where what is there is none. Raises OSError."""
    try:
        return read_key(path)
    except (TokenMissing, ValueError):
        key = secrets.token_bytes(KEY_BYTES)
        write_token(path, key.hex())
        return key


def read_key(path: Path) -> bytes:
    """Raises TokenMissing, ValueError."""
    key = bytes.fromhex(read_token(path))
    if len(key) != KEY_BYTES:
        raise ValueError(f"{path} is no key")
    return key


def sign(key: bytes, purpose: Purpose, *, at: float | None = None) -> str:
    """A text that is good from now on for as long as its purpose allows."""
    ends_at = int(time.time() if at is None else at) + SECONDS[purpose]
    text = f"{ends_at}.{secrets.token_hex(8)}"
    return f"{text}.{_seal(key, purpose, text)}"


def seconds_good(key: bytes, purpose: Purpose, signed: str, *, at: float | None = None) -> float:
    """How long the text is good yet; 0 where it never was, or is no more."""
    text, _, seal = signed.rpartition(".")
    if not hmac.compare_digest(seal.encode(), _seal(key, purpose, text).encode()):
        return 0.0
    left = int(text.partition(".")[0]) - (time.time() if at is None else at)
    return left if 0 < left <= SECONDS[purpose] else 0.0


def cookie_name(key: bytes) -> str:
    """Cookies of one host are shared by its ports: each agent of a computer has its own."""
    return f"watcher-{hashlib.sha256(key).hexdigest()[:12]}"


class Tickets:
    """Remembers which were used, for as long as they would be good."""

    def __init__(self, key: bytes) -> None:
        self._key, self._lock = key, threading.Lock()
        self._used: dict[str, float] = {}

    def use(self, ticket: str, *, at: float | None = None) -> bool:
        """Whether it was good; it is not, a second time."""
        now = time.time() if at is None else at
        left = seconds_good(self._key, Purpose.TICKET, ticket, at=now)
        with self._lock:
            self._used = {used: ends_at for used, ends_at in self._used.items() if ends_at > now}
            if not left or ticket in self._used:
                return False
            self._used[ticket] = now + left
            return True


def _seal(key: bytes, purpose: Purpose, text: str) -> str:
    return hmac.new(key, f"{purpose.value}.{text}".encode(), hashlib.sha256).hexdigest()
