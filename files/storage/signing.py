"""Signed URLs of the local store: what they grant, and the proof that the service granted it.

The query spells out the grant in full and ends in `signature`: HMAC-SHA256 over method, key and everything before it,
so there is nothing in a URL that is not signed, and nothing to normalise before the comparison.
"""

import hashlib
import hmac
import time
from dataclasses import asdict, dataclass
from urllib.parse import parse_qsl, quote, urlencode

from files.storage.keys import check_key
from wire.errors import Forbidden

URL_PREFIX = "/objects/"


@dataclass(frozen=True)
class Grant:
    """What one URL allows: to read an object (GET), to write one, or one part of an upload (PUT)."""

    method: str
    key: str
    expires: int  # Unix seconds
    size: int | None = None
    type: str | None = None
    crc32: str | None = None
    upload: str | None = None
    part: int | None = None
    disposition: str | None = None


class UrlRefused(Forbidden):
    """The URL was tampered with, is of another method, or has expired."""


class UrlSigner:
    """Makes and checks the URLs of one deployment."""

    def __init__(self, *, secret: str, base_url: str) -> None:
        self._key = hashlib.sha256(b"files.storage.signing:" + secret.encode()).digest()
        self._base_url = base_url.rstrip("/")

    def sign(self, grant: Grant) -> str:
        query = urlencode(_query_terms(grant), quote_via=quote)
        signature = self._signature(grant.method, grant.key, query)
        return f"{self._base_url}{URL_PREFIX}{check_key(grant.key)}?{query}&signature={signature}"

    def read(self, *, method: str, key: str, query: str) -> Grant:
        """The grant of a request. Raises UrlRefused."""
        terms, _, signature = query.rpartition("&signature=")
        method = "GET" if method == "HEAD" else method
        expected = self._signature(method, key, terms)
        if not hmac.compare_digest(expected.encode(), signature.encode()):
            raise UrlRefused("The signature does not match this request.")
        grant = _read_grant(method, key, terms)
        if grant.expires < time.time():
            raise UrlRefused("The URL has expired.")
        return grant

    def _signature(self, method: str, key: str, query: str) -> str:
        return hmac.new(self._key, f"{method}\n{key}\n{query}".encode(), hashlib.sha256).hexdigest()


def _query_terms(grant: Grant) -> dict[str, str | int]:
    return {name: value for name, value in asdict(grant).items() if name not in ("method", "key") and value is not None}


def _read_grant(method: str, key: str, query: str) -> Grant:
    """Only called with a query that was signed, hence written by `url`."""
    terms = dict(parse_qsl(query, keep_blank_values=True))
    return Grant(
        method=method,
        key=key,
        expires=int(terms["expires"]),
        size=int(terms["size"]) if "size" in terms else None,
        type=terms.get("type"),
        crc32=terms.get("crc32"),
        upload=terms.get("upload"),
        part=int(terms["part"]) if "part" in terms else None,
        disposition=terms.get("disposition"),
    )
