"""Writes end before the disk does: a database that cannot write its log goes down, and takes reading with it."""

import time

from django.conf import settings

from files.storage.disk import has_free_space
from wire.errors import ServiceUnavailable

CHECK_INTERVAL_SECONDS = 1.0


class DiskFull(ServiceUnavailable):
    def __init__(self) -> None:
        super().__init__("The disk of the service is full; reading still works.", retry_after=60)


class DiskGuard:
    """What was seen of the disk that the service keeps its data on, once a second at most."""

    def __init__(self) -> None:
        self.checked_at = -CHECK_INTERVAL_SECONDS
        self.has_space = True

    def refuse_when_full(self) -> None:
        """Before anything that changes data. Raises DiskFull."""
        if not settings.KEEPS_DATA_HERE:
            return
        now = time.monotonic()
        if now - self.checked_at >= CHECK_INTERVAL_SECONDS:
            self.checked_at, self.has_space = now, has_free_space(settings.IDS_DATA)
        if not self.has_space:
            raise DiskFull


disk_guard = DiskGuard()
