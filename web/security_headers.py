"""Headers that every answer of Django carries."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

UNUSED_FEATURES = (
    *("accelerometer", "browsing-topics", "camera", "display-capture", "geolocation", "gyroscope", "hid"),
    *("magnetometer", "microphone", "midi", "payment", "serial", "usb", "xr-spatial-tracking"),
)
PERMISSIONS_POLICY = ", ".join(f"{feature}=()" for feature in UNUSED_FEATURES)


class SecurityHeaders:
    """Django sends HSTS only on requests that it knows to be encrypted; PUBLIC_URL says so for all of them."""

    def __init__(self, handler: Callable[[HttpRequest], HttpResponse]) -> None:
        self.handler = handler

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.handler(request)
        response.headers.setdefault("Permissions-Policy", PERMISSIONS_POLICY)
        if settings.SECURE_HSTS_SECONDS:
            response.headers.setdefault("Strict-Transport-Security", f"max-age={settings.SECURE_HSTS_SECONDS}")
        return response
