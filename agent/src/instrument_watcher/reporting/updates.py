"""Keeping the agent at the version that the service's admins chose for it, which may be an older one."""

import logging
from collections.abc import Callable

from instrument_watcher import __version__
from instrument_watcher.chronicle import Chronicle
from instrument_watcher.config.model import Config
from instrument_watcher.errors import AgentError
from instrument_watcher.home import Home
from instrument_watcher.journal.journal import Journal
from instrument_watcher.releases.installing import Offer, install_release, pinned_key, read_offer
from instrument_watcher.releases.versions import Outcome, Versions, runs_as
from instrument_watcher.service.api import Service
from instrument_watcher.service.store import Store
from instrument_watcher.upgrading import UpdateRefused, install_version

log = logging.getLogger("instrument_watcher")
UNDER_WAY = "update"


def find_offer(service: Service, *, watcher_id: str) -> Offer | None:
    """What the service offers in place of this version. Raises ServiceAway, Refused."""
    return read_offer(service.update_check(watcher_id))


class Updates:
    def __init__(
        self,
        config: Config,
        home: Home,
        journal: Journal,
        chronicle: Chronicle,
        service: Service,
        store: Store,
        *,
        is_idle: Callable[[], bool],
    ) -> None:
        self._config, self._home, self._journal, self._chronicle = config, home, journal, chronicle
        self._service, self._store, self._is_idle = service, store, is_idle
        self._versions = Versions(home.versions)
        self._told: str | None = None

    def look(self, *, urgent: bool = False) -> bool:
        """True when another version was chosen and the agent is to start again. Raises ServiceAway, Refused.

        One that is on trial looks for none: the service knows of it only once it has reported.
        """
        if self._versions.is_on_trial(runs_as()):
            return False
        offer = find_offer(self._service, watcher_id=self._config.watcher_id or "")
        if offer is None or self._versions.failed_lately(offer.name):
            return False
        install = self._way_to_install()
        if install is None:
            self._tell_once(offer)
            return False
        if not (urgent or offer.is_mandatory or self._is_idle()):
            return False
        return self._install(offer, install)

    def note_heartbeat(self) -> None:
        """The service took one of this version: where it was on trial, it stays."""
        try:
            was_on_trial = self._versions.confirm(runs_as())
        except OSError as error:
            log.error("%s cannot be written: %s", self._versions.folder, error.strerror)
            return
        if was_on_trial:
            self._tell_outcome(self._versions.take_outcome())

    def note_outcome(self) -> None:
        """After a start: say what came of the update before it."""
        self._tell_outcome(self._versions.take_outcome())
        wanted = self._journal.facts.get(UNDER_WAY)
        if wanted is None:
            return
        self._journal.facts.forget(UNDER_WAY)
        if wanted == __version__:
            self._chronicle.tell("update_succeeded", f"Updated to version {wanted}", version=wanted)
        else:
            self._note_failure(wanted, f"Version {__version__} runs still.")

    def _way_to_install(self) -> Callable[[Offer], None] | None:
        key, source = pinned_key(self._home), self._config.updates.source
        if key is not None:
            return (lambda offer: self._install_signed(offer, key)) if self._config.updates.automatic else None
        return None if source is None else lambda offer: self._install_by_pip(offer, source)

    def _install(self, offer: Offer, install: Callable[[Offer], None]) -> bool:
        what = "Going back to" if offer.is_rollback else "Installing"
        self._chronicle.tell("update_started", f"{what} version {offer.name}", version=offer.name)
        try:
            install(offer)
        except AgentError as error:
            self._note_failure(offer.name, f"{error.message} {error.remedy}".strip())
            return False
        return True

    def _install_signed(self, offer: Offer, key: str) -> None:
        install_release(offer, home=self._home, public_key=key, store=self._store)

    def _install_by_pip(self, offer: Offer, source: str) -> None:
        if offer.version is None:
            raise UpdateRefused("There is no release to go back to.", remedy="Install another version by hand.")
        install_version(offer.version, source=source)
        self._journal.facts.set(UNDER_WAY, offer.version)

    def _note_failure(self, version: str, why: str) -> None:
        self._versions.note_failure(version)
        self._chronicle.tell(
            "update_failed", f"Update to {version} failed: {why}", level=logging.ERROR, version=version
        )

    def _tell_outcome(self, outcome: Outcome | None) -> None:
        if outcome is None:
            return
        kind, level = ("update_succeeded", logging.INFO) if outcome.succeeded else ("update_failed", logging.ERROR)
        self._chronicle.tell(kind, outcome.message, level=level, version=outcome.version)

    def _tell_once(self, offer: Offer) -> None:
        if self._told != offer.name:
            self._told = offer.name
            log.warning("Version %s is available%s. Run: instrument-watcher update", offer.name,
                        " and asked for" if offer.is_mandatory else "")  # fmt: skip
