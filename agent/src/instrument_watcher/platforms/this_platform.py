"""Which service manager this platform has."""

import sys

from instrument_watcher.platforms.service_manager import ServiceManager

if sys.platform == "win32":
    from instrument_watcher.platforms.windows_services import WindowsServices

    def service_manager(name: str) -> ServiceManager:
        return WindowsServices(name)

else:
    from instrument_watcher.platforms.systemd import Systemd

    def service_manager(name: str) -> ServiceManager:
        return Systemd(name)
