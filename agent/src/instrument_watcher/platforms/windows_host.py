"""The process that Windows' service control manager starts: `python windows_host.py SITE-PACKAGES NAME HOME`.

Written to the documentation of pywin32 (`servicemanager.PrepareToHostSingle`, `win32serviceutil.ServiceFramework`);
it was not run. As a script it imports nothing of the agent before the environment's packages are on the path.
"""

import os
import site
import sys

if sys.platform == "win32":

    def main() -> None:
        packages, name, home = sys.argv[1:4]
        sys.path.pop(0)  # this folder; its modules are to be imported by their full names only
        site.addsitedir(packages)  # runs pywin32's .pth file, which makes its libraries known
        import servicemanager

        servicemanager.Initialize(name, None)
        servicemanager.PrepareToHostSingle(_service_class(name, home))
        servicemanager.StartServiceCtrlDispatcher()

    def _service_class(name: str, home: str) -> type:
        from pathlib import Path

        import win32service
        import win32serviceutil

        from instrument_watcher.agent import Agent
        from instrument_watcher.cli.options import Call
        from instrument_watcher.cli.output import Output
        from instrument_watcher.cli.run import run_locked
        from instrument_watcher.errors import ExitCode
        from instrument_watcher.home import Home

        class AgentService(win32serviceutil.ServiceFramework):  # type: ignore[misc] # pywin32 has no types
            _svc_name_ = name

            def SvcStop(self) -> None:  # noqa: N802 pywin32's name
                self.ReportServiceStatus(win32service.SERVICE_STOP_PENDING, 45_000)
                self.agent.stop()

            def SvcDoRun(self) -> None:  # noqa: N802 pywin32's name
                code = run_locked(Call(Home(Path(home)), Output()), on_agent=self.remember)
                if code is not ExitCode.OK:
                    os._exit(code)  # without SERVICE_STOPPED: the failure actions start it again

            def remember(self, agent: Agent) -> None:
                self.agent = agent

        return AgentService

    if __name__ == "__main__":
        main()
