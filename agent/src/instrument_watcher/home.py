"""The one directory in which an agent keeps everything: configuration, token, journal, logs."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from instrument_watcher.platforms.permissions import restrict_to_user

APP = "instrument-watcher"
HOME_VARIABLE = "INSTRUMENT_WATCHER_HOME"
SYSTEM_HOME = Path("/var/lib") / APP


@dataclass(frozen=True)
class Home:
    """Where the files of one agent are. Several agents on one machine have a home each."""

    folder: Path

    @property
    def config(self) -> Path:
        return self.folder / "config.yaml"

    @property
    def former_config(self) -> Path:
        """What ran before a configuration from the service was taken."""
        return self.folder / "config.yaml.former"

    @property
    def token(self) -> Path:
        return self.folder / "token"

    @property
    def journal(self) -> Path:
        return self.folder / "journal.sqlite3"

    @property
    def instance(self) -> Path:
        return self.folder / "instance.json"

    @property
    def release_key(self) -> Path:
        return self.folder / "release-key"

    @property
    def versions(self) -> Path:
        return self.folder / "versions"

    @property
    def page_key(self) -> Path:
        return self.folder / "page-key"

    @property
    def page_address(self) -> Path:
        return self.folder / "page-address"

    @property
    def lock(self) -> Path:
        return self.folder / "agent.lock"

    @property
    def log(self) -> Path:
        return self.folder / "logs" / "agent.log"

    def make(self) -> None:
        """Create the directory, for its user only."""
        if not self.folder.exists():
            self.folder.mkdir(parents=True, mode=0o700)
            restrict_to_user(self.folder)
        self.log.parent.mkdir(exist_ok=True, mode=0o700)


def find_home(given: Path | None) -> Home:
    """The home asked for, else the one of the environment, else the usual place of this platform."""
    if given is None and HOME_VARIABLE in os.environ:
        given = Path(os.environ[HOME_VARIABLE])
    return Home((given or usual_place()).expanduser().absolute())


def usual_place() -> Path:
    if sys.platform != "win32" and os.geteuid() == 0:
        return SYSTEM_HOME
    return platformdirs.user_data_path(APP, appauthor=False)
