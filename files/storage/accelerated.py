"""Leaving the sending of bytes to nginx (X-Accel-Redirect): it says with each request that it would, and where it may.

The service checks the request as ever and answers it without a body; nginx puts the file in that place. What nginx
would answer otherwise than the service does (a malformed or unheeded Range, If-Match), the service sends itself.
"""

import re
from urllib.parse import quote

from django.core.exceptions import ImproperlyConfigured

from files.storage.layout import DATA_FILE
from files.storage.ranges import ByteRange
from files.storage.signing import URL_PREFIX
from wire.asgi import Scope, find_header

ACCEL_HEADER = "X-Accel-Redirect"
OFFER_HEADER = b"x-sendfile-type"  # as Rack's proxies say it; without it the service was asked directly
PREFIX = re.compile(r"(?:/[A-Za-z0-9_-]+)+/")
SET_BY_NGINX = frozenset({"accept-ranges", "content-length", "content-range"})


def check_prefix(prefix: str) -> str:
    """ACCEL_REDIRECT_PREFIX itself, empty where nginx sends nothing. Raises ImproperlyConfigured."""
    if prefix and (not PREFIX.fullmatch(prefix) or prefix.startswith(URL_PREFIX)):
        raise ImproperlyConfigured(
            f"ACCEL_REDIRECT_PREFIX={prefix} is no internal location of nginx: "
            f"/_stored/ is one, of letters, digits, - and _, and not below {URL_PREFIX}."
        )
    return prefix


def may_leave_to_proxy(scope: Scope, span: ByteRange) -> bool:
    """Whether the proxy offers to send, and would send exactly this span."""
    is_offered = find_header(scope, OFFER_HEADER) == ACCEL_HEADER
    is_range_alike = span.partial or find_header(scope, b"range") is None
    return is_offered and is_range_alike and find_header(scope, b"if-match") is None


def build_redirect(prefix: str, key: str, headers: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The headers of a download that nginx completes: all but those that it sets itself."""
    kept = [(name, value) for name, value in headers if name.lower() not in SET_BY_NGINX]
    return [*kept, (ACCEL_HEADER, f"{prefix}{quote(key)}%40/{DATA_FILE}"), ("Content-Length", "0")]
