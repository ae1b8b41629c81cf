"""What must hold before an agent can work, each thing asked once, in the order in which a person would look."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from instrument_watcher.config.model import Config
from instrument_watcher.config.reading import load_config
from instrument_watcher.errors import AgentError, ExitCode
from instrument_watcher.home import Home
from instrument_watcher.platforms import paths
from instrument_watcher.platforms.permissions import others_may_read
from instrument_watcher.service.api import Service
from instrument_watcher.service.connection import Connection
from instrument_watcher.service.errors import Refused, ServiceAway, TokenRefused
from instrument_watcher.token_file import read_token

NEEDED_SCOPES = (
    "instruments:read", "watchers:read", "watchers:report", "runs:read", "runs:create", "runs:upload", "files:update",
)  # fmt: skip


@dataclass(frozen=True)
class Finding:
    """One thing that holds, in words; `warning` says what is not as good as it could be."""

    name: str
    detail: str
    warning: str = ""


class NotFit(AgentError):
    """What was looked at does not hold."""


class Probe:
    """Looks at one agent's home and at the service. `findings` stops at the first thing that does not hold."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self.config: Config | None = None
        self.instrument: dict[str, Any] = {}

    def findings(self) -> Iterator[Finding]:
        """Raises AgentError, with the remedy, for the first thing that does not hold."""
        self.config = load_config(self._home.config)
        yield Finding("configuration", str(self._home.config))
        yield from self.look(self.config)

    def look(self, config: Config) -> Iterator[Finding]:
        """The same for a configuration that is not in the home yet."""
        steps: list[Callable[[Config, Service], Finding]] = [
            self._token, self._address, self._scopes, self._instrument, self._registration, self._folder,
        ]  # fmt: skip
        connection = Connection(config.server, read_token=lambda: read_token(self._home.token))
        try:
            for step in steps:
                yield step(config, Service(connection))
        finally:
            connection.close()

    def _token(self, config: Config, service: Service) -> Finding:
        read_token(self._home.token)
        warning = "Other users of this machine can read it." if others_may_read(self._home.token) else ""
        return Finding("token", str(self._home.token), warning)

    def _address(self, config: Config, service: Service) -> Finding:
        self._identity = service.whoami()
        return Finding("address", f"{config.server} answers", plain_http_warning(config.server))

    def _scopes(self, config: Config, service: Service) -> Finding:
        refuse_missing_scopes(self._identity)
        return Finding("scopes", f"the token “{self._identity.get('name')}” holds what an agent needs")

    def _instrument(self, config: Config, service: Service) -> Finding:
        self.instrument = found = find_instrument(service, config.instrument_id)
        refuse_inactive(found)
        warning = "An admin has not confirmed it yet." if found["status"] == "pending" else ""
        return Finding("instrument", f"{found['display_name']} ({found['id']}) is {found['status']}", warning)

    def _registration(self, config: Config, service: Service) -> Finding:
        remedy = "Register it with: instrument-watcher init"
        if config.watcher_id is None:
            raise NotFit("The watcher is not registered yet.", remedy=remedy, code=ExitCode.REGISTRATION)
        try:
            watcher = service.watcher(config.watcher_id)
        except Refused as refusal:
            if refusal.status != 404:
                raise
            raise NotFit("The service does not know this watcher.", remedy=remedy, code=ExitCode.REGISTRATION) from None
        if watcher["deleted_at"] is not None:
            raise NotFit("This watcher was deregistered.", remedy=remedy, code=ExitCode.REGISTRATION)
        if watcher["instrument_id"] != config.instrument_id:
            other = watcher["instrument_id"]
            raise NotFit(f"This watcher belongs to {other}.", remedy=remedy, code=ExitCode.REGISTRATION)
        return Finding("registration", f"watcher {config.watcher_id} holds the instrument")

    def _folder(self, config: Config, service: Service) -> Finding:
        refuse_unreadable_folder(config.watch_directory)
        return Finding("folder", f"{config.watch_directory} can be read")


def refuse_unreadable_folder(folder: Path) -> None:
    """Raises NotFit."""
    try:
        with paths.entries(folder) as entries:
            next(entries, None)
    except OSError as error:
        raise NotFit(
            f"The folder {folder} cannot be read: {error.strerror}.",
            remedy="Mount it, mend its rights, or set watch_directory: instrument-watcher config edit",
            code=ExitCode.FOLDER,
        ) from None


def refuse_silence(server: str) -> None:
    """Raises ServiceAway or NotFit where nobody answers at the address, or somebody else does."""
    connection = Connection(server, read_token=lambda: "none-yet")
    try:
        connection.get("whoami")
    except TokenRefused:
        return
    except Refused as refusal:
        raise NotFit(
            f"{server} answers, but not as the Instrument Data Service does ({refusal.status}).",
            remedy="Check the address.",
            code=ExitCode.UNREACHABLE,
        ) from None
    finally:
        connection.close()


def find_scheme(address: str) -> str:
    """The address with https:// where that answers, else with http://. Raises NotFit, saying what each answered."""
    answers = []
    for scheme in ("https", "http"):
        server = f"{scheme}://{address}"
        try:
            refuse_silence(server)
        except (ServiceAway, NotFit) as error:
            answers.append(error.message)
        else:
            return server
    raise NotFit(
        f"{address} answers neither by https nor by http: {' '.join(answers)}",
        remedy="Check the address, the network and whether the service runs.",
        code=ExitCode.UNREACHABLE,
    )


def refuse_missing_scopes(identity: dict[str, Any]) -> None:
    """Raises NotFit, naming the scopes that the token lacks."""
    missing = [scope for scope in NEEDED_SCOPES if scope not in identity.get("scopes", ())]
    if missing:
        raise NotFit(
            f"The token lacks {', '.join(missing)}.",
            remedy="Ask an admin for a token with the preset “Watcher”.",
            code=ExitCode.TOKEN,
        )


def find_instrument(service: Service, instrument_id: str) -> dict[str, Any]:
    try:
        return service.instrument(instrument_id)
    except Refused as refusal:
        if refusal.status != 404:
            raise
        raise NotFit(
            f"The service knows no instrument {instrument_id}, or the token is not bound to it.",
            remedy="Choose one with: instrument-watcher init",
            code=ExitCode.REGISTRATION,
        ) from None


def refuse_inactive(instrument: dict[str, Any]) -> None:
    if instrument["status"] == "inactive":
        raise NotFit(
            f"{instrument['display_name']} ({instrument['id']}) is inactive: it takes no watcher.",
            remedy="An admin can activate it in the dashboard, Instruments.",
            code=ExitCode.REGISTRATION,
        )


def plain_http_warning(server: str) -> str:
    parts = urlsplit(server)
    if parts.scheme == "https" or parts.hostname in ("localhost", "127.0.0.1", "::1"):
        return ""
    return "It is http: the token and the data cross the network readable to others."
