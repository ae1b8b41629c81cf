"""The process that Windows' service control manager starts: `python windows_host.py SITE-PACKAGES NAME HOME`.

As a script it imports nothing of the agent before the environment's packages are on the path. How it ends follows
"Service Control Manager" and SERVICE_FAILURE_ACTIONS (Microsoft Learn):
- asked to stop: it reports SERVICE_STOPPED, whatever came of it;
- only a person can help (no token, not registered …): it reports SERVICE_STOPPED with the exit code, which is the end;
- everything else, an update and every fault included: it leaves without a report, counts as failed, and the failure
  actions start it again. pywin32 would report SERVICE_STOPPED for an exception, and nothing would start it.
"""

import os
import site
import subprocess
import sys
import traceback
from pathlib import Path


def without_folder(path: list[str], folder: str) -> list[str]:
    """The module search path without a script's own folder; where Python is embedded it is not on it."""
    return [entry for entry in path if not entry or os.path.normcase(entry) != os.path.normcase(folder)]


if sys.platform == "win32":

    def main() -> None:
        packages, name, home = sys.argv[1:4]
        sys.path[:] = without_folder(sys.path, str(Path(__file__).parent))
        site.addsitedir(packages)  # runs pywin32's .pth file, which makes its libraries known
        import servicemanager

        servicemanager.Initialize(name, None)
        servicemanager.PrepareToHostSingle(_service_class(name, home))
        servicemanager.StartServiceCtrlDispatcher()

    def _service_class(name: str, home: str) -> type:
        import servicemanager
        import win32service
        import win32serviceutil
        import winerror

        from instrument_watcher.ending import Ending

        class AgentService(win32serviceutil.ServiceFramework):  # type: ignore[misc] # pywin32 has no types
            _svc_name_ = name
            ending = Ending()

            def SvcStop(self) -> None:  # noqa: N802 pywin32's name
                self.ReportServiceStatus(win32service.SERVICE_STOP_PENDING, 45_000)
                self.ending.ask()

            SvcShutdown = SvcStop

            def SvcDoRun(self) -> None:  # noqa: N802 pywin32's name
                try:
                    code, is_final = self.run()
                except BaseException:  # the agent cannot even be imported
                    servicemanager.LogErrorMsg(traceback.format_exc())
                    os._exit(1)
                if code == 0 or self.ending.is_asked():
                    return
                if is_final:
                    self.ReportServiceStatus(
                        win32service.SERVICE_STOPPED,
                        win32ExitCode=winerror.ERROR_SERVICE_SPECIFIC_ERROR,
                        svcExitCode=code,
                    )
                os._exit(code)

            def run(self) -> tuple[int, bool]:
                """The exit code, and whether only a person can help. The agent is imported here and not before: the
                manager waits 30 seconds for the process to answer, and a computer that starts is slow."""
                from instrument_watcher.cli.options import Call
                from instrument_watcher.cli.output import Output
                from instrument_watcher.cli.run import run_locked
                from instrument_watcher.home import Home
                from instrument_watcher.platforms.service_manager import NO_RESTART, run_to_code
                from instrument_watcher.releases.supervisor import Supervisor
                from instrument_watcher.releases.versions import Versions

                call = Call(Home(Path(home)), Output())
                versions = Versions(call.home.versions)
                if versions.is_in_use():
                    # A service has no output. Python would give the child a broken pipe, which makes its exit code 120.
                    supervisor = Supervisor(versions, ["run", "--home", home], output=subprocess.DEVNULL)
                    self.ending.stops(supervisor.stop)
                    number = supervisor.run()
                    return number, number in [int(code) for code in NO_RESTART]
                code = run_to_code(lambda: run_locked(call, ending=self.ending), tell=servicemanager.LogErrorMsg)
                return int(code), code in NO_RESTART

        return AgentService

    if __name__ == "__main__":
        main()
