"""Reading no faster than the settings say."""

from collections.abc import Callable

MB = 1_000_000


class Pace:
    """Call it with the bytes of each step: it sleeps until so many may have been read. A rate of 0 is no bound."""

    def __init__(self, *, mb_per_second: float, clock: Callable[[], float], sleep: Callable[[float], object]) -> None:
        self.bytes_per_second, self.clock, self.sleep = mb_per_second * MB, clock, sleep
        self.began_at, self.size_bytes = clock(), 0

    @property
    def seconds(self) -> float:
        """Since it began."""
        return self.clock() - self.began_at

    def __call__(self, size_bytes: int) -> None:
        self.size_bytes += size_bytes
        if self.bytes_per_second:
            ahead = self.size_bytes / self.bytes_per_second - self.seconds
            if ahead > 0:
                self.sleep(ahead)
