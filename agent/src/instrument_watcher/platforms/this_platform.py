"""Which service manager this platform has."""

import sys

from instrument_watcher.platforms.service_manager import ServiceManager

if sys.platform == "win32":
    from instrument_watcher.platforms.windows_services import WindowsServices, names_of_this_installation

    def service_manager(name: str) -> ServiceManager:
        return WindowsServices(name)

else:
    from instrument_watcher.platforms.systemd import Systemd, names_of_this_installation

    def service_manager(name: str) -> ServiceManager:
        return Systemd(name)


def service_names() -> list[str]:
    """The services that run the agent from where this one runs."""
    return names_of_this_installation()
