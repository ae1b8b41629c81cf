"""The agent as a service of the operating system: the one interface behind which systemd and Windows stand."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from instrument_watcher.errors import AgentError, ExitCode
from instrument_watcher.home import Home

log = logging.getLogger("instrument_watcher")
# Where only a person can help, starting again cannot.
NO_RESTART = (ExitCode.USAGE, ExitCode.CONFIGURATION, ExitCode.TOKEN, ExitCode.REGISTRATION, ExitCode.ALREADY_RUNNING)
DESCRIPTION = "Brings an instrument's files to the Instrument Data Service"


class ServiceManagerFailed(AgentError):
    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(message, remedy=remedy, code=ExitCode.SERVICE_MANAGER)


class NotInstalled(ServiceManagerFailed):
    def __init__(self) -> None:
        super().__init__("The service is not installed.", remedy="Install it with: instrument-watcher service install")


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


def run_to_code(run: Callable[[], ExitCode], *, tell: Callable[[str], None]) -> ExitCode:
    """The exit code, whatever happens. An error goes to the log and to whoever is told of the system's services."""
    try:
        return run()
    except AgentError as error:
        message, code = f"{error.message} {error.remedy}".strip(), error.code
        log.error("%s", message)
    except Exception as error:
        message, code = f"A fault in the agent itself: {type(error).__name__}: {error}", ExitCode.CRASH
        log.exception("A fault in the agent itself")
    tell(message)
    return code
