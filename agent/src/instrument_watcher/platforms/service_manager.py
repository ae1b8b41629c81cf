"""The agent as a service of the operating system: the one interface behind which systemd and Windows stand."""

from dataclasses import dataclass
from typing import Protocol

from instrument_watcher.errors import AgentError, ExitCode
from instrument_watcher.home import Home

DESCRIPTION = "Brings an instrument's files to the Instrument Data Service"


class ServiceManagerFailed(AgentError):
    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(message, remedy=remedy, code=ExitCode.SERVICE_MANAGER)


@dataclass(frozen=True)
class ServiceState:
    """What the service manager says, in its own word: active, failed, running, not installed…"""

    is_installed: bool
    is_running: bool
    word: str


class ServiceManager(Protocol):
    """Every method raises ServiceManagerFailed."""

    def install(self, home: Home) -> list[str]:
        """Install and start. Returns what people should know. Installing again replaces what was installed."""
        ...

    def uninstall(self) -> None: ...

    def start(self) -> None: ...

    def stop(self) -> None: ...

    def state(self) -> ServiceState: ...
