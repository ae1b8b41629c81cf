"""The agent as a Windows service. Written to Microsoft's documentation of the service control manager and to pywin32's
of `win32service`; it was not run.

- The process that the manager starts must be the one that connects to it. The python.exe of a virtual environment is
  only a launcher of the real one, so the service names the base interpreter and `windows_host.py`, which adds the
  environment's packages itself.
- A service that ends without reporting SERVICE_STOPPED counts as failed, and the failure actions apply
  (SERVICE_FAILURE_ACTIONS): that is how it is started again after an update or a crash.
- LocalSystem sees no network drives of a person; a folder on a share needs an account (services.msc, Log On).
"""

import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from instrument_watcher.home import Home
from instrument_watcher.platforms import windows_host
from instrument_watcher.platforms.service_manager import DESCRIPTION, ServiceManagerFailed, ServiceState

if sys.platform == "win32":
    import pywintypes
    import win32service

    DISPLAY_NAME = "Instrument watcher"
    RESTART_AFTER_MS = 10_000
    FORGET_FAILURES_S = 86_400

    WORDS = {
        win32service.SERVICE_RUNNING: "running",
        win32service.SERVICE_STOPPED: "stopped",
        win32service.SERVICE_START_PENDING: "starting",
        win32service.SERVICE_STOP_PENDING: "stopping",
        win32service.SERVICE_PAUSED: "paused",
    }

    class WindowsServices:
        def __init__(self, name: str) -> None:
            self._name = name

        def install(self, home: Home) -> list[str]:
            if self.state().is_installed:
                self.uninstall()
            with _errors("install"):
                service = win32service.CreateService(
                    _manager(win32service.SC_MANAGER_ALL_ACCESS),
                    self._name,
                    f"{DISPLAY_NAME} ({self._name})",
                    win32service.SERVICE_ALL_ACCESS,
                    win32service.SERVICE_WIN32_OWN_PROCESS,
                    win32service.SERVICE_AUTO_START,
                    win32service.SERVICE_ERROR_NORMAL,
                    host_command(self._name, home),
                    None,
                    0,
                    None,
                    None,  # LocalSystem
                    None,
                )
                self._configure(service)
                win32service.StartService(service, None)
            return [f"Service “{self._name}” in services.msc", f"Log: {home.log}"]

        def uninstall(self) -> None:
            with _errors("uninstall"):
                service = self._open()
                if win32service.QueryServiceStatus(service)[1] != win32service.SERVICE_STOPPED:
                    win32service.ControlService(service, win32service.SERVICE_CONTROL_STOP)
                win32service.DeleteService(service)

        def start(self) -> None:
            with _errors("start"):
                win32service.StartService(self._open(), None)

        def stop(self) -> None:
            with _errors("stop"):
                win32service.ControlService(self._open(), win32service.SERVICE_CONTROL_STOP)

        def state(self) -> ServiceState:
            try:
                current = win32service.QueryServiceStatus(self._open(win32service.SERVICE_QUERY_STATUS))[1]
            except pywintypes.error:
                return ServiceState(is_installed=False, is_running=False, word="not installed")
            is_running = current == win32service.SERVICE_RUNNING
            return ServiceState(is_installed=True, is_running=is_running, word=WORDS.get(current, "changing"))

        def _open(self, access: int = win32service.SERVICE_ALL_ACCESS) -> Any:
            return win32service.OpenService(_manager(win32service.SC_MANAGER_CONNECT), self._name, access)

        def _configure(self, service: Any) -> None:
            change = win32service.ChangeServiceConfig2
            restart = (win32service.SC_ACTION_RESTART, RESTART_AFTER_MS)
            change(service, win32service.SERVICE_CONFIG_DESCRIPTION, DESCRIPTION)
            change(service, win32service.SERVICE_CONFIG_DELAYED_AUTO_START_INFO, True)
            change(
                service,
                win32service.SERVICE_CONFIG_FAILURE_ACTIONS,
                {"ResetPeriod": FORGET_FAILURES_S, "RebootMsg": "", "Command": "", "Actions": [restart] * 3},
            )

    @contextmanager
    def _errors(verb: str) -> Iterator[None]:
        try:
            yield
        except pywintypes.error as error:
            raise ServiceManagerFailed(
                f"Windows could not {verb} the service: {error.strerror}",
                remedy="Use a console that runs as administrator.",
            ) from None

    def _manager(access: int) -> Any:
        return win32service.OpenSCManager(None, None, access)


def host_command(name: str, home: Home) -> str:
    """What the service control manager starts."""
    base = getattr(sys, "_base_executable", sys.executable)
    packages = sysconfig.get_path("purelib")
    return subprocess.list2cmdline([base, str(Path(windows_host.__file__)), packages, name, str(home.folder)])
