"""Which service, and with which token: what was said, else the environment, else what `ids-data login` kept."""

from __future__ import annotations

import json
import os
import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import platformdirs

from instrument_data.errors import NotConnected

URL, TOKEN, HOME = "IDS_URL", "IDS_TOKEN", "IDS_DATA_HOME"
APP = "instrument-data"
LOOPBACK = re.compile(r"(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?(/|$)", re.IGNORECASE)


@dataclass(frozen=True)
class Credentials:
    url: str
    token: str = field(repr=False)


def find_credentials(url: str | None = None, token: str | None = None) -> Credentials:
    """Raises NotConnected. A token goes only to the service that it was kept for, or that stands beside it."""
    kept = _read()
    url = url or os.environ.get(URL) or kept.get("default")
    if not url:
        raise NotConnected(f"Which service? Run `ids-data login URL`, or set {URL} and {TOKEN}.")
    url = clean_url(url)
    token = token or environment_token(url) or kept.get("tokens", {}).get(url)
    if not token:
        other = f" ({TOKEN} is for {os.environ[URL]}.)" if os.environ.get(TOKEN) else ""
        raise NotConnected(f"There is no token for {url}: run `ids-data login {url}`, or set {URL} and {TOKEN}.{other}")
    token = token.strip() if isinstance(token, str) else token
    if not (isinstance(token, str) and token.isascii() and token.isprintable()):
        raise NotConnected("The token has characters that no token has: copy it again, from `ids_` to its end.")
    return Credentials(url, token)


def environment_token(url: str) -> str | None:
    """IDS_TOKEN, where IDS_URL names no other service than this one. Raises NotConnected."""
    token, meant = os.environ.get(TOKEN), os.environ.get(URL)
    return token if token and (not meant or clean_url(meant) == url) else None


def clean_url(url: str) -> str:
    """The address of a service without what may follow it. Raises NotConnected."""
    try:
        parts = urlsplit(url if "://" in url else f"{_usual_scheme(url)}://{url}")
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port or brackets that are none
        is_address = False
    if not is_address or any(character.isspace() for character in url):
        raise NotConnected(f"{url} is no address of a service; https://data.lab.example is one.")
    path = parts.path.rstrip("/").removesuffix("/api/v1").rstrip("/")
    return f"{parts.scheme}://{parts.netloc}{path}"


def _usual_scheme(place: str) -> str:
    """A service on this very computer has no certificate."""
    return "http" if LOOPBACK.match(place) else "https"


def keep_credentials(credentials: Credentials) -> Path:
    """For the next `connect()`; readable by this user only."""
    kept = _read()
    tokens = {**kept.get("tokens", {}), credentials.url: credentials.token}
    return _write({"default": credentials.url, "tokens": tokens})


def forget_credentials(url: str) -> bool:
    """Whether there was a token to forget."""
    kept = _read()
    tokens = dict(kept.get("tokens", {}))
    known = tokens.pop(url, None) is not None
    default = kept.get("default")
    _write({"default": next(iter(tokens), None) if default == url else default, "tokens": tokens})
    return known


def home() -> Path:
    return Path(os.environ.get(HOME) or platformdirs.user_config_dir(APP))


def _place() -> Path:
    return home() / "credentials.json"


def _read() -> dict[str, Any]:
    try:
        kept = json.loads(_place().read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise NotConnected(f"{_place()} cannot be read ({error}): remove it and run `ids-data login`.") from None
    return kept if isinstance(kept, dict) else {}


def _write(kept: dict[str, Any]) -> Path:
    place = _place()
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    number, draft = tempfile.mkstemp(dir=place.parent, prefix=".credentials-")  # 0600 from its first byte
    with os.fdopen(number, "w", encoding="utf-8") as file:
        json.dump(kept, file, indent=1)
    Path(draft).replace(place)
    return place
