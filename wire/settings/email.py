"""`EMAIL_URL`, such as smtp://user:password@host:587?tls=starttls, as Django's settings of mail."""

from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

WAYS = {"starttls": 587, "tls": 465, "none": 25}


def email_settings(url: str) -> dict[str, Any]:
    """None where there is no mail. Raises ImproperlyConfigured, which does not repeat the password."""
    if not url:
        return {}
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port, parts = None, None, urlsplit("")
    way = parse_qs(parts.query).get("tls", ["starttls"])[0]
    if parts.scheme != "smtp" or not host or way not in WAYS:
        raise ImproperlyConfigured("EMAIL_URL must read like smtp://user:pw@host:587?tls=starttls (or tls, none).")
    return {
        "EMAIL_HOST": host,
        "EMAIL_PORT": port or WAYS[way],
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_TLS": way == "starttls",
        "EMAIL_USE_SSL": way == "tls",
    }
