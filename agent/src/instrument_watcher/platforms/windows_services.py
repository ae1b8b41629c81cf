"""The agent as a Windows service, by Microsoft's documentation of the service control manager and pywin32's of
`win32service`.

- The process that the manager starts must be the one that connects to it. The python.exe of a virtual environment is
  only a launcher of the real one, so the service names the base interpreter and `windows_host.py`, which adds the
  environment's packages itself.
- How a service ends decides whether it is started again: see `windows_host.py`.
- LocalSystem sees no network drives of a person; a folder on a share needs an account (services.msc, Log On).
"""

import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from instrument_watcher.home import Home
from instrument_watcher.platforms.service_manager import (
    DESCRIPTION,
    NotInstalled,
    ServiceManagerFailed,
    ServiceState,
)

HOST = Path(__file__).with_name("windows_host.py")  # a script, which the manager starts

if sys.platform == "win32":
    import pywintypes
    import win32api
    import win32con
    import win32event
    import win32service
    import winerror

    DISPLAY_NAME = "Instrument watcher"
    RESTART_AFTER_MS = 10_000
    FORGET_FAILURES_S = 86_400
    STOP_SECONDS = 60.0
    POLL_SECONDS = 0.2

    WORDS = {
        win32service.SERVICE_RUNNING: "running",
        win32service.SERVICE_STOPPED: "stopped",
        win32service.SERVICE_START_PENDING: "starting",
        win32service.SERVICE_STOP_PENDING: "stopping",
        win32service.SERVICE_PAUSED: "paused",
    }
    RESTART = (win32service.SC_ACTION_RESTART, RESTART_AFTER_MS)
    SETTINGS: list[tuple[str, int, Any]] = [
        ("describe it", win32service.SERVICE_CONFIG_DESCRIPTION, DESCRIPTION),
        ("let others start first", win32service.SERVICE_CONFIG_DELAYED_AUTO_START_INFO, True),
        (
            "start it again after a crash",
            win32service.SERVICE_CONFIG_FAILURE_ACTIONS,
            {"ResetPeriod": FORGET_FAILURES_S, "RebootMsg": "", "Command": "", "Actions": [RESTART] * 3},
        ),
    ]

    class WindowsServices:
        def __init__(self, name: str) -> None:
            self._name = name

        def install(self, home: Home) -> list[str]:
            if self.state().is_installed:
                self.uninstall()
            with _errors("install"):
                service = self._create(home)
                try:
                    notes = _configure(service)
                    win32service.StartService(service, None)
                except pywintypes.error:
                    win32service.DeleteService(service)  # half a service is none
                    raise
            return [f"Service “{self._name}” in services.msc", f"Log: {home.log}", *notes]

        def uninstall(self) -> None:
            self.stop()
            with _errors("uninstall"):
                win32service.DeleteService(self._open())

        def start(self) -> None:
            with _errors("start"):
                if not self.state().is_running:
                    win32service.StartService(self._open(), None)

        def stop(self) -> None:
            """Returns when its process has ended."""
            with _errors("stop"):
                service = self._open()
                with _process_of(service) as process:
                    if process is None or _has_ended(process):  # whatever its manager knows of that
                        return
                    if _status(service) not in (win32service.SERVICE_STOPPED, win32service.SERVICE_STOP_PENDING):
                        win32service.ControlService(service, win32service.SERVICE_CONTROL_STOP)
                    self._await_stop(service, process)

        def state(self) -> ServiceState:
            try:
                with _errors("ask for"):
                    current = _status(self._open(win32service.SERVICE_QUERY_STATUS))
            except NotInstalled:
                return ServiceState(is_installed=False, is_running=False, word="not installed")
            is_running = current == win32service.SERVICE_RUNNING
            return ServiceState(is_installed=True, is_running=is_running, word=WORDS.get(current, "changing"))

        def _create(self, home: Home) -> Any:
            return win32service.CreateService(
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

        def _open(self, access: int = win32service.SERVICE_ALL_ACCESS) -> Any:
            return win32service.OpenService(_manager(win32service.SC_MANAGER_CONNECT), self._name, access)

        def _await_stop(self, service: Any, process: Any) -> None:
            deadline = time.monotonic() + STOP_SECONDS
            while _status(service) != win32service.SERVICE_STOPPED:
                if time.monotonic() > deadline:
                    raise ServiceManagerFailed(f"The service {self._name} did not stop within {STOP_SECONDS:g} s.")
                time.sleep(POLL_SECONDS)
            win32event.WaitForSingleObject(process, int(STOP_SECONDS * 1000))

    def _configure(service: Any) -> list[str]:
        """What could not be set, as notes: the service works without."""
        notes = []
        for what, setting, value in SETTINGS:
            try:
                win32service.ChangeServiceConfig2(service, setting, value)
            except pywintypes.error as error:
                notes.append(f"Windows would not {what}: {error.strerror}")
        return notes

    def _status(service: Any) -> int:
        return int(win32service.QueryServiceStatus(service)[1])

    def names_of_this_installation() -> list[str]:
        manager = _manager(win32service.SC_MANAGER_CONNECT | win32service.SC_MANAGER_ENUMERATE_SERVICE)
        names = [row[0] for row in win32service.EnumServicesStatus(manager)]
        return [name for name in names if str(HOST) in _command_of(manager, name)]

    def _command_of(manager: Any, name: str) -> str:
        try:
            service = win32service.OpenService(manager, name, win32service.SERVICE_QUERY_CONFIG)
            return str(win32service.QueryServiceConfig(service)[3])
        except pywintypes.error:
            return ""

    @contextmanager
    def _process_of(service: Any) -> Iterator[Any]:
        """A handle to wait for; None where no process runs."""
        pid = win32service.QueryServiceStatusEx(service)["ProcessId"]
        try:
            process = win32api.OpenProcess(win32con.SYNCHRONIZE, False, pid) if pid else None
        except pywintypes.error:
            process = None
        try:
            yield process
        finally:
            if process is not None:
                process.Close()

    def _has_ended(process: Any) -> bool:
        return bool(win32event.WaitForSingleObject(process, 0) == win32event.WAIT_OBJECT_0)

    @contextmanager
    def _errors(verb: str) -> Iterator[None]:
        try:
            yield
        except pywintypes.error as error:
            if error.winerror == winerror.ERROR_SERVICE_DOES_NOT_EXIST:
                raise NotInstalled from None
            is_denied = error.winerror == winerror.ERROR_ACCESS_DENIED
            raise ServiceManagerFailed(
                f"Windows could not {verb} the service: {error.strerror}",
                remedy="Use a console that runs as administrator." if is_denied else "",
            ) from None

    def _manager(access: int) -> Any:
        return win32service.OpenSCManager(None, None, access)


def host_command(name: str, home: Home) -> str:
    """What the service control manager starts."""
    base = getattr(sys, "_base_executable", sys.executable)
    packages = sysconfig.get_path("purelib")
    return subprocess.list2cmdline([base, str(HOST), packages, name, str(home.folder)])
