"""Keeping the agent at the version that the service's admins chose for its channel."""

import logging
from collections.abc import Callable
from dataclasses import dataclass

from instrument_watcher import __version__
from instrument_watcher.chronicle import Chronicle
from instrument_watcher.config.model import Config
from instrument_watcher.errors import AgentError
from instrument_watcher.journal.journal import Journal
from instrument_watcher.service.api import Service
from instrument_watcher.upgrading import install_version

log = logging.getLogger("instrument_watcher")
UNDER_WAY = "update"


@dataclass(frozen=True)
class Release:
    version: str
    mandatory: bool


def newer_release(service: Service, *, watcher_id: str) -> Release | None:
    """What the service offers in place of this version. Raises ServiceAway, Refused."""
    answer = service.update_check(watcher_id)
    if not answer.get("update_available") or not answer.get("latest_version"):
        return None
    return Release(str(answer["latest_version"]).removeprefix("v"), bool(answer.get("mandatory")))


class Updates:
    def __init__(
        self, config: Config, journal: Journal, chronicle: Chronicle, service: Service, *, is_idle: Callable[[], bool]
    ) -> None:
        self._config, self._journal, self._chronicle, self._service = config, journal, chronicle, service
        self._is_idle = is_idle
        self._failed: set[str] = set()
        self._told: str | None = None

    def look(self, *, urgent: bool = False) -> bool:
        """True when a new version was installed and the agent is to start again. Raises ServiceAway, Refused."""
        release = newer_release(self._service, watcher_id=self._config.watcher_id or "")
        if release is None or release.version in self._failed:
            return False
        if self._config.updates.source is None:
            self._tell_once(release)
            return False
        if not (urgent or release.mandatory or self._is_idle()):
            return False
        return self._install(release, self._config.updates.source)

    def note_outcome(self) -> None:
        """After a start: say whether the update before it brought the new version."""
        wanted = self._journal.facts.get(UNDER_WAY)
        if wanted is None:
            return
        self._journal.facts.forget(UNDER_WAY)
        if wanted == __version__:
            self._chronicle.tell("update_succeeded", f"Updated to version {wanted}", version=wanted)
        else:
            self._note_failure(wanted, f"Version {__version__} runs still.")

    def _install(self, release: Release, source: str) -> bool:
        self._chronicle.tell("update_started", f"Installing version {release.version}", version=release.version)
        try:
            install_version(release.version, source=source)
        except AgentError as error:
            self._note_failure(release.version, error.message)
            return False
        self._journal.facts.set(UNDER_WAY, release.version)
        return True

    def _note_failure(self, version: str, why: str) -> None:
        self._failed.add(version)  # until the agent is started again
        self._chronicle.tell(
            "update_failed", f"Update to {version} failed: {why}", level=logging.ERROR, version=version
        )

    def _tell_once(self, release: Release) -> None:
        if self._told != release.version:
            self._told = release.version
            log.warning("Version %s is available%s. Run: instrument-watcher update", release.version,
                        " and asked for" if release.mandatory else "")  # fmt: skip
