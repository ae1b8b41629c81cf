"""What the way to the store bears: parts small enough for links that crawl, or that are cut after some megabytes."""

import threading
import time

MIB = 1024 * 1024
PART_SIZES = (64 * MIB, 32 * MIB, 16 * MIB, 8 * MIB, 5 * MIB)  # the service makes parts of 64 MiB when not asked
SMALLEST = PART_SIZES[-1]
PART_SECONDS = 60.0  # how long one part may take on a link that crawls
TELLING = MIB  # less than that was cut says nothing about sizes
MEASURED = 4 * MIB  # less than that was sent says nothing about speed
FORGET_SECONDS = 86_400.0  # a link that was mended is given large parts again


class LinkQuality:
    """One for all uploads. Sizes are in bytes, `now` is of the monotonic clock."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._most: int | None = None  # what may arrive in one piece
        self._cut_at = 0.0
        self._rate: float | None = None  # bytes a second
        self.is_understood = True  # False once the service did not make the parts that were asked for

    def note_cut(self, sent: int, *, now: float | None = None) -> None:
        """The connection broke after so many bytes had left; up to half of them may still be on their way."""
        if sent < TELLING:
            return
        with self._lock:
            before = self._most or sent
            self._most = max(SMALLEST, min(before, sent) // 2)
            self._cut_at = time.monotonic() if now is None else now

    def note_sent(self, size: int, seconds: float) -> None:
        if size < MEASURED:
            return
        rate = size / max(seconds, 0.001)
        with self._lock:
            self._rate = rate if self._rate is None else (self._rate + rate) / 2

    def part_size(self, *, now: float | None = None) -> int | None:
        """What to ask for; None where the service's own parts will do."""
        now = time.monotonic() if now is None else now
        with self._lock:
            if self._most is not None and now - self._cut_at > FORGET_SECONDS:
                self._most = None
            borne = [self._most, None if self._rate is None else int(self._rate * PART_SECONDS)]
        most = min((size for size in borne if size is not None), default=PART_SIZES[0])
        chosen = next((size for size in PART_SIZES if size <= most), SMALLEST)
        return None if chosen == PART_SIZES[0] else chosen
