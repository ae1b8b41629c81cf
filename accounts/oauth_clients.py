"""What an AI client may say of itself, registered (RFC 7591) or in a document at its own address (CIMD).

Real clients name grants that nobody serves here and that the toolkit refuses; they are narrowed to ours.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from oauth2_provider.cimd import CIMDError, SafeMetadataFetcher

from accounts import rates
from wire.errors import RateLimited, ValidationError

GRANTS = ["authorization_code", "refresh_token"]
RESPONSES = ["code"]
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
APP_SCHEMES = frozenset({"cursor", "vscode", "vscode-insiders"})
MOST_REDIRECTS, LONGEST_REDIRECT, LONGEST_NAME = 20, 2_000, 100


class BadMetadata(ValidationError):
    """What the client says of itself cannot be used."""


def narrowed(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata with the grants that are served here. Raises BadMetadata."""
    if "authorization_code" not in _texts(metadata, "grant_types", default=GRANTS):
        raise BadMetadata("grant_types must name authorization_code.")
    if "code" not in _texts(metadata, "response_types", default=RESPONSES):
        raise BadMetadata("response_types must name code.")
    name = metadata.get("client_name", "")
    if not isinstance(name, str) or len(name) > LONGEST_NAME or not name.isprintable():
        raise BadMetadata(f"client_name must be printable text of at most {LONGEST_NAME} characters.")
    redirects = _texts(metadata, "redirect_uris", default=[])
    if not 1 <= len(redirects) <= MOST_REDIRECTS:
        raise BadMetadata(f"1 to {MOST_REDIRECTS} redirect_uris are needed.")
    for uri in redirects:
        if fault := redirect_fault(uri):
            raise BadMetadata(f"redirect_uris: {fault}")
    return {**metadata, "client_name": name, "grant_types": GRANTS, "response_types": RESPONSES}


def redirect_fault(uri: str) -> str | None:
    """Why codes may not be sent there, or None: https, an app's own scheme, or http on the person's own machine."""
    try:
        parts = urlsplit(uri)
        host = parts.hostname
    except ValueError:
        return "a redirect cannot be read."
    if len(uri) > LONGEST_REDIRECT or not uri.isascii() or not uri.isprintable() or " " in uri:
        return "a redirect is too long, or holds characters that no address has."
    if "#" in uri or "@" in parts.netloc or not host:
        return "a redirect needs a host, and no fragment or user."
    if parts.scheme == "http" and host not in LOOPBACK:
        return "http is for localhost only."
    if parts.scheme not in APP_SCHEMES | {"http", "https"}:
        return "https, http on localhost, cursor and vscode are served."
    return None


def is_same_redirect(uri: str, registered: list[str]) -> bool:
    """Character by character; on the person's own machine any port will do (RFC 8252, 7.3)."""
    return uri in registered or any(_differ_by_port(uri, one) for one in registered)


def _differ_by_port(uri: str, registered: str) -> bool:
    if redirect_fault(uri):
        return False
    asked, known = urlsplit(uri), urlsplit(registered)
    if asked.scheme != "http" or known.scheme != "http" or known.hostname not in LOOPBACK:
        return False
    return (asked.hostname, asked.path, asked.query) == (known.hostname, known.path, known.query)


def _texts(metadata: Mapping[str, Any], name: str, *, default: list[str]) -> list[str]:
    values = metadata.get(name, default)
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise BadMetadata(f"{name} must be a list of texts.")
    return values


class MetadataFetcher(SafeMetadataFetcher):
    """The toolkit's guarded fetch (https, public addresses, no redirects, 5 s, 16 KiB), then our rules."""

    def fetch(self, client_id: str) -> tuple[dict[str, Any], int]:
        metadata, max_age = super().fetch(client_id)
        try:
            return narrowed(metadata), max_age
        except BadMetadata as fault:
            raise CIMDError(fault.message) from None


class FewFetches:
    """Documents are fetched for strangers, so not for one address without end."""

    def has_permission(self, request: Any, client_id: str) -> bool:
        try:
            rates.count(rates.REGISTRATIONS, str(request.headers.get("REMOTE_ADDR", "")))
        except RateLimited:
            return False
        return True
