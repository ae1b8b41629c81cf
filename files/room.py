"""Writes end before the disk does: a database that cannot write its log goes down, and takes reading with it."""

import time

from django.conf import settings

from files.storage.disk import has_room
from wire.errors import ServiceUnavailable

LOOK_SECONDS = 1.0


class DiskFull(ServiceUnavailable):
    def __init__(self) -> None:
        super().__init__("The disk of the service is full; reading still works.", retry_after=60)


class Room:
    """What was seen of the disk that the service keeps its data on, once a second at most."""

    def __init__(self) -> None:
        self.looked_at = -LOOK_SECONDS
        self.is_left = True

    def refuse_when_full(self) -> None:
        """Before anything that changes data. Raises DiskFull."""
        if not settings.KEEPS_DATA_HERE:
            return
        now = time.monotonic()
        if now - self.looked_at >= LOOK_SECONDS:
            self.looked_at, self.is_left = now, has_room(settings.IDS_DATA)
        if not self.is_left:
            raise DiskFull


room = Room()
