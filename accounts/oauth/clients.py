"""What an AI client may say of itself, registered (RFC 7591) or in a document at its own address (CIMD).

Real clients name grants that nobody serves here and that the toolkit refuses; such metadata is narrowed to ours.
"""

from collections.abc import Mapping
from io import BytesIO
from typing import Any
from urllib.parse import urlsplit

import requests
from oauth2_provider.cimd import CIMDError, SafeMetadataFetcher
from urllib3 import HTTPResponse

from accounts import rate_limits as rates
from wire.errors import RateLimited, ValidationError
from wire.outgoing.http_client import PublicAdapter, address_fault, bounded_session

SUPPORTED_GRANT_TYPES = ["authorization_code", "refresh_token"]
SUPPORTED_RESPONSE_TYPES = ["code"]
LOOPBACK_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})
APP_SCHEMES = frozenset({"cursor", "vscode", "vscode-insiders"})
MAX_REDIRECTS_PER_CLIENT, MAX_REDIRECT_CHARS, MAX_NAME_CHARS = 20, 2_000, 100


class BadMetadata(ValidationError):
    """What the client says of itself cannot be used."""


def narrow_grants(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata with the grants that are served here. Raises BadMetadata."""
    if "authorization_code" not in _read_texts(metadata, "grant_types", default=SUPPORTED_GRANT_TYPES):
        raise BadMetadata("grant_types must name authorization_code.")
    if "code" not in _read_texts(metadata, "response_types", default=SUPPORTED_RESPONSE_TYPES):
        raise BadMetadata("response_types must name code.")
    name = metadata.get("client_name", "")
    if not isinstance(name, str) or len(name) > MAX_NAME_CHARS or not name.isprintable():
        raise BadMetadata(f"client_name must be printable text of at most {MAX_NAME_CHARS} characters.")
    redirects = _read_texts(metadata, "redirect_uris", default=[])
    if not 1 <= len(redirects) <= MAX_REDIRECTS_PER_CLIENT:
        raise BadMetadata(f"1 to {MAX_REDIRECTS_PER_CLIENT} redirect_uris are needed.")
    for uri in redirects:
        if fault := redirect_fault(uri):
            raise BadMetadata(f"redirect_uris: {fault}")
    return {
        **metadata,
        "client_name": name,
        "grant_types": SUPPORTED_GRANT_TYPES,
        "response_types": SUPPORTED_RESPONSE_TYPES,
    }


def redirect_fault(uri: str) -> str | None:
    """Why codes may not be sent there, or None: https, an app's own scheme, or http on the person's own machine."""
    try:
        parts = urlsplit(uri)
        host = parts.hostname
    except ValueError:
        return "a redirect cannot be read."
    if len(uri) > MAX_REDIRECT_CHARS or not uri.isascii() or not uri.isprintable() or " " in uri:
        return "a redirect is too long, or holds characters that no address has."
    if "#" in uri or "@" in parts.netloc or not host:
        return "a redirect needs a host, and no fragment or user."
    if parts.scheme == "http" and host not in LOOPBACK_HOSTS:
        return "http is for localhost only."
    if parts.scheme not in APP_SCHEMES | {"http", "https"}:
        return "https, http on localhost, cursor and vscode are served."
    return None


def is_same_redirect(uri: str, registered: list[str]) -> bool:
    """Character by character; on the person's own machine any port will do (RFC 8252, 7.3)."""
    return uri in registered or any(_differs_only_by_port(uri, one) for one in registered)


def _differs_only_by_port(uri: str, registered: str) -> bool:
    if redirect_fault(uri):
        return False
    asked, known = urlsplit(uri), urlsplit(registered)
    if asked.scheme != "http" or known.scheme != "http" or known.hostname not in LOOPBACK_HOSTS:
        return False
    return (asked.hostname, asked.path, asked.query) == (known.hostname, known.path, known.query)


def _read_texts(metadata: Mapping[str, Any], name: str, *, default: list[str]) -> list[str]:
    values = metadata.get(name, default)
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise BadMetadata(f"{name} must be a list of texts.")
    return values


class MetadataFetcher(SafeMetadataFetcher):
    """The toolkit reads the document, from a call with our bounds; then our rules."""

    def fetch(self, client_id: str) -> tuple[dict[str, Any], int]:
        metadata, max_age = self._read_document(fetch_document(client_id))
        try:
            return narrow_grants(metadata), max_age
        except BadMetadata as fault:
            raise CIMDError(fault.message) from None


def fetch_document(address: str) -> HTTPResponse:
    """What is at an address that a stranger named. Raises CIMDError."""
    if fault := document_address_fault(address):
        raise CIMDError(fault)
    try:
        with bounded_session(PublicAdapter) as session:
            answer = session.get(address, headers={"Accept": "application/json, application/*+json"})
    except requests.RequestException as problem:
        raise CIMDError(f"could not fetch client_id document: {type(problem).__name__}") from None
    return HTTPResponse(BytesIO(answer.content), answer.headers, answer.status_code, preload_content=False)


def document_address_fault(address: str) -> str | None:
    """Why no client can be known by this address (its draft, section 3), or None."""
    parts = urlsplit(address)
    if parts.scheme != "https" or not parts.path or parts.fragment:
        return "A client's address has https, a path and no fragment."
    if any(segment in (".", "..") for segment in parts.path.split("/")):
        return "A client's address has no dots for segments."
    return address_fault(f"{parts.scheme}://{parts.netloc}")


class MetadataFetchLimit:
    """Documents are fetched for strangers, so not for one address without end."""

    def has_permission(self, request: Any, client_id: str) -> bool:
        try:
            rates.count_hit(rates.REGISTRATIONS, str(request.headers.get("REMOTE_ADDR", "")))
        except RateLimited:
            return False
        return True
