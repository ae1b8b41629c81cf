"""Whose certificates are believed: what was said, else the environment, else the authorities that browsers know."""

from __future__ import annotations

import os
import ssl
from pathlib import Path

import httpx

from instrument_data.errors import NotConnected

# Ours first; then what curl, requests and OpenSSL are told, so that one setting of a laboratory serves all of them.
BUNDLES = ("IDS_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR")


def make_tls_context(ca_bundle: str | Path | None = None) -> ssl.SSLContext:
    """For connections to the service and to its store. Raises NotConnected where a bundle cannot be read."""
    said = [("ca_bundle", str(ca_bundle)) if ca_bundle else None]
    said += [(name, os.environ[name]) if os.environ.get(name) else None for name in BUNDLES]
    for one in said:
        if one is not None:
            return _load(*one)
    return httpx.create_ssl_context(trust_env=False)


def is_distrust(error: BaseException | None) -> bool:
    """Whether a certificate was not believed, which no waiting mends."""
    while error is not None and not isinstance(error, ssl.SSLCertVerificationError):
        error = error.__cause__ or error.__context__
    return error is not None


def _load(name: str, place: str) -> ssl.SSLContext:
    path = Path(place).expanduser()
    try:
        if path.is_dir():
            return ssl.create_default_context(capath=str(path))
        return ssl.create_default_context(cafile=str(path))
    except (OSError, ssl.SSLError) as error:
        why = error.strerror if isinstance(error, FileNotFoundError) else "no certificate in PEM can be read there"
        raise NotConnected(f"{name} names {place}: {why}.") from None
