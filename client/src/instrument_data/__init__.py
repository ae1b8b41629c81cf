"""Find, fetch, read and send what an Instrument Data Service keeps.

    import instrument_data as ids

    lab = ids.connect()
    runs = lab.runs(instrument="Synergy Neo2", since="last week", plate_id="P7")
    runs[0].files["raw.csv"].path()

`connect_async` gives the same to programs that use asyncio: what asks the service is awaited there.
"""

from __future__ import annotations

from pathlib import Path

from instrument_data import errors
from instrument_data._async.lab import AsyncLab
from instrument_data._sync.lab import Lab
from instrument_data.cache import open_cache
from instrument_data.credentials import find_credentials
from instrument_data.errors import InstrumentDataError, ServiceError
from instrument_data.reasons import because
from instrument_data.version import __version__ as __version__

__all__ = ["AsyncLab", "InstrumentDataError", "Lab", "ServiceError", "because", "connect", "connect_async", "errors"]
PATIENCE_SECONDS = 120.0


def connect(
    url: str | None = None,
    token: str | None = None,
    *,
    cache: str | Path | None = None,
    patience: float = PATIENCE_SECONDS,
    ca_bundle: str | Path | None = None,
) -> Lab:
    """A laboratory. Address and token as given, else from IDS_URL and IDS_TOKEN, else from `ids-data login`.

    Nothing is asked yet. `patience` is how many seconds one call waits for a service that is away or asks to come
    later. `ca_bundle` is a file or folder of the authorities whose certificates are believed (else IDS_CA_BUNDLE,
    REQUESTS_CA_BUNDLE, CURL_CA_BUNDLE, SSL_CERT_FILE, SSL_CERT_DIR, those that browsers know). Raises NotConnected.
    """
    return Lab(find_credentials(url, token), cache=open_cache(cache), patience=patience, ca_bundle=ca_bundle)


def connect_async(
    url: str | None = None,
    token: str | None = None,
    *,
    cache: str | Path | None = None,
    patience: float = PATIENCE_SECONDS,
    ca_bundle: str | Path | None = None,
) -> AsyncLab:
    """The same for asyncio: `async with ids.connect_async() as lab: runs = await lab.runs(...).all()`."""
    return AsyncLab(find_credentials(url, token), cache=open_cache(cache), patience=patience, ca_bundle=ca_bundle)
