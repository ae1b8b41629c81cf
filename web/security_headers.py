"""Headers that every answer carries, whatever gave it: Django, /mcp, stored objects, a refusal before any of them."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

UNUSED_FEATURES = (
    *("accelerometer", "browsing-topics", "camera", "display-capture", "geolocation", "gyroscope", "hid"),
    *("magnetometer", "microphone", "midi", "payment", "serial", "usb", "xr-spatial-tracking"),
)
PERMISSIONS_POLICY = ", ".join(f"{feature}=()" for feature in UNUSED_FEATURES)


PARTS_OF_PAGES = ("text/javascript", "text/css")


def build_security_headers(content_type: str = "") -> dict[str, str]:
    """Django sends HSTS only on requests that it knows to be encrypted; PUBLIC_URL says so for all of them.

    What a page may use of the machine is no matter of its scripts and styles, of which a first view has thirty.
    """
    headers = {} if content_type.startswith(PARTS_OF_PAGES) else {"Permissions-Policy": PERMISSIONS_POLICY}
    if settings.SECURE_HSTS_SECONDS:
        headers["Strict-Transport-Security"] = f"max-age={settings.SECURE_HSTS_SECONDS}"
    return headers


class SecurityHeaders:
    """For answers of Django that do not leave by web.server.dispatch."""

    def __init__(self, handler: Callable[[HttpRequest], HttpResponse]) -> None:
        self.handler = handler

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.handler(request)
        for name, value in build_security_headers(response.get("Content-Type", "")).items():
            response.headers.setdefault(name, value)
        return response
