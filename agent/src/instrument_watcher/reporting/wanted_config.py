"""Configuration from afar: taken when it holds here, refused with the reason when not, never tried twice."""

import hashlib
import logging

from instrument_watcher.chronicle import Chronicle
from instrument_watcher.config.model import Config
from instrument_watcher.config.reading import load_with_text
from instrument_watcher.config.remote import NotTaken, adopt_config
from instrument_watcher.config.writing import save_config
from instrument_watcher.errors import AgentError
from instrument_watcher.home import Home
from instrument_watcher.journal.journal import Journal
from instrument_watcher.reporting.heartbeat import push_config
from instrument_watcher.service.api import Service, WantedConfig
from instrument_watcher.service.errors import Refused
from instrument_watcher.trying import try_config

log = logging.getLogger("instrument_watcher")
REFUSED = "refused_config"


class WantedConfigs:
    """Which one is wanted, the answers to heartbeats say; what runs, the file of this computer."""

    def __init__(
        self, config: Config, text: bytes, home: Home, journal: Journal, chronicle: Chronicle, service: Service
    ) -> None:
        self._config, self._text, self._home = config, text, home
        self._journal, self._chronicle, self._service = journal, chronicle, service

    def take(self, checksum: str | None) -> bool:
        """True when another configuration stands in the file now. Raises ServiceAway, Refused, TokenRefused."""
        if checksum is None or (wanted := self._fetch()) is None:
            return False
        if not wanted.is_waiting or [wanted.checksum, wanted.updated_at] == self._journal.facts.get(REFUSED):
            return False
        try:
            text, config = adopt_config(wanted.text, running=self._config, running_text=self._text.decode())
            if text.encode() == self._text:
                self._report(wanted)
                return False
            return self._replace(text, wanted, found=try_config(config, running=self._config, home=self._home))
        except NotTaken as fault:
            self._refuse(wanted, str(fault))
            return False

    def _fetch(self) -> WantedConfig | None:
        try:
            wanted = self._service.wanted_config(self._config.watcher_id or "")
        except Refused as refusal:
            if refusal.status != 404:
                raise
            return None  # withdrawn meanwhile
        is_whole = hashlib.sha256(wanted.text.encode()).hexdigest() == wanted.checksum
        return wanted if is_whole else None  # the next heartbeat asks for it again

    def _report(self, wanted: WantedConfig) -> None:
        """It runs already: this is what became of it, also where the word of that was lost."""
        push_config(
            self._service, self._text, watcher_id=self._config.watcher_id or "", wanted_checksum=wanted.checksum
        )
        self._chronicle.tell("config_synced", "The configuration from the service is running", checksum=wanted.checksum)

    def _replace(self, text: str, wanted: WantedConfig, *, found: str) -> bool:
        """The old file is kept beside the new one. What somebody changed here in this very moment comes first."""
        try:
            here = load_with_text(self._home.config)[0]
        except AgentError:
            here = self._text  # an unsound file is mended by this one
        if here != self._text:
            return False
        try:
            save_config(self._home.former_config, self._text.decode())
            save_config(self._home.config, text)
        except OSError as error:
            raise NotTaken(f"It cannot be written: {error.strerror}.") from None
        log.info("The configuration from the service is taken over: %s. The old one is %s.", found,
                 self._home.former_config.name)  # fmt: skip
        return True

    def _refuse(self, wanted: WantedConfig, reason: str) -> None:
        with self._journal.transaction():
            self._journal.facts.set(REFUSED, [wanted.checksum, wanted.updated_at])
            self._chronicle.tell(
                "config_refused", f"The configuration from the service is not taken: {reason}",
                level=logging.WARNING, checksum=wanted.checksum, reason=reason,
            )  # fmt: skip
