"""Writes end before the disk does: a database that cannot write its log goes down, and takes reading with it."""

import time

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from config.middleware import BODY_METHODS, Handler
from config.refusal_pages import refuse
from files.storage.disk import has_room
from wire.errors import ServiceUnavailable

LOOK_SECONDS = 1.0


class DiskFull(ServiceUnavailable):
    def __init__(self) -> None:
        super().__init__("The disk of the service is full; reading still works.", retry_after=60)


class RoomForWrites:
    """Refuses what changes data while the disk that the service keeps it on is nearly full."""

    def __init__(self, handler: Handler) -> None:
        self.handler = handler
        self.looked_at = -LOOK_SECONDS
        self.has_room = True

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method in BODY_METHODS and settings.KEEPS_DATA_HERE and not self._look():
            return refuse(request, DiskFull())
        return self.handler(request)

    def _look(self) -> bool:
        now = time.monotonic()
        if now - self.looked_at >= LOOK_SECONDS:
            self.looked_at, self.has_room = now, has_room(settings.IDS_DATA)
        return self.has_room
