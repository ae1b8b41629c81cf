"""Whose certificates are believed: what was said, else the environment, else the authorities that browsers know."""

from __future__ import annotations

import os
import ssl
from pathlib import Path

import httpx

from instrument_data.errors import NotConnected

# Ours first; then what curl, requests and OpenSSL are told, so that one setting of a laboratory serves all of them.
BUNDLES = ("IDS_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR")

NO_TLS = frozenset({"WRONG_VERSION_NUMBER", "HTTP_REQUEST"})
AUTHORITY = "Where your laboratory has an authority of its own, name it by ca_bundle= or IDS_CA_BUNDLE."


def make_tls_context(ca_bundle: str | Path | None = None) -> ssl.SSLContext:
    """For connections to the service and to its store. Raises NotConnected where a bundle cannot be read."""
    said = [("ca_bundle", str(ca_bundle)) if ca_bundle else None]
    said += [(name, os.environ[name]) if os.environ.get(name) else None for name in BUNDLES]
    for one in said:
        if one is not None:
            return _load(*one)
    return httpx.create_ssl_context(trust_env=False)


def explain_refusal(error: BaseException | None) -> str | None:
    """Why no TLS connection came about, where no waiting mends it: a certificate, or a port that speaks plain HTTP."""
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return f"its certificate is not believed: {error.verify_message}. {AUTHORITY}"
        if isinstance(error, ssl.SSLError) and error.reason in NO_TLS:
            return "it speaks no TLS there. Is it http:// in place of https://?"
        error = error.__cause__ or error.__context__
    return None


def _load(name: str, place: str) -> ssl.SSLContext:
    path = Path(place).expanduser()
    try:
        if path.is_dir():
            return ssl.create_default_context(capath=str(path))
        return ssl.create_default_context(cafile=str(path))
    except (OSError, ssl.SSLError) as error:
        why = error.strerror if isinstance(error, FileNotFoundError) else "no certificate in PEM can be read there"
        raise NotConnected(f"{name} names {place}: {why}.") from None
