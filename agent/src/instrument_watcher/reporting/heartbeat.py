"""The regular sign of life, and what its answer asks for."""

import hashlib
import logging
import time
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from instrument_watcher import __version__
from instrument_watcher.activity import Activity
from instrument_watcher.chronicle import Chronicle
from instrument_watcher.clock import stamp, utc_now
from instrument_watcher.config.model import Config
from instrument_watcher.errors import AgentError, ExitCode
from instrument_watcher.journal.journal import Journal
from instrument_watcher.service.api import Service
from instrument_watcher.service.errors import Refused

HEARD_AT = "heard_at"
log = logging.getLogger("instrument_watcher")


class Deregistered(AgentError):
    """Somebody took this watcher off its instrument."""

    def __init__(self, config: Config) -> None:
        super().__init__(
            f"This watcher was deregistered from {config.instrument_id}.",
            remedy="To attach it again: instrument-watcher init",
            code=ExitCode.REGISTRATION,
        )


class InstanceConflict(AgentError):
    """Another installation works as this watcher: a copy of this one, or the one that this is a copy of."""

    def __init__(self, config: Config, details: dict[str, Any]) -> None:
        host = details.get("hostname") or "another computer"
        super().__init__(
            f"Another installation works as this watcher of {config.instrument_id}: {details['existing_instance']} on"
            f" {host}. Nothing is sent from here.",
            remedy="An admin says in the dashboard, Watchers, which of the two it is. Else: instrument-watcher init",
            code=ExitCode.REGISTRATION,
        )


@dataclass(frozen=True)
class Answer:
    """How many uploads people wait for, and the checksum of a configuration that they want to be run."""

    upload_requests: int
    wanted_config: str | None


class Heart:
    def __init__(
        self,
        config: Config,
        config_text: bytes,
        instance: str,
        journal: Journal,
        chronicle: Chronicle,
        activity: Activity,
        service: Service,
    ) -> None:
        self._config, self._config_text, self._instance = config, config_text, instance
        self._journal, self._chronicle, self._activity, self._service = journal, chronicle, activity, service
        self.watcher_id = config.watcher_id or ""
        self._refused_checksum = ""

    def beat(self, *, status: str = "watching") -> Answer:
        """What people want of this watcher.

        Raises Deregistered, InstanceConflict, AgentTooOld, ServiceAway, TokenRefused.
        """
        try:
            answer = self._service.heartbeat(self.watcher_id, status=status, **self._facts())
            self._push_config(answer.get("config_checksum"))
        except Refused as refusal:
            if refusal.is_about_deletion or refusal.status == 404:
                raise Deregistered(self._config) from None
            if refusal.status == 409 and "existing_instance" in refusal.details:
                raise InstanceConflict(self._config, refusal.details) from None
            raise
        self._journal.facts.set(HEARD_AT, time.time())
        return Answer(int(answer["upload_requests"]), answer.get("wanted_config_checksum"))

    def _facts(self) -> dict[str, Any]:
        return {
            "timestamp": stamp(utc_now()),
            "agent_version": __version__,
            "upload_mode": self._config.upload_mode.value,
            "watch_directory": str(self._config.watch_directory),
            "files_uploaded": self._activity.counted("files"),
            "runs_reported": self._activity.counted("runs"),
            "errors": self._activity.counted("errors"),
            "uptime_seconds": self._activity.uptime,
            "queue_depth": self._journal.queue.count_waiting(),
            "instance_id": self._instance,
            "folder": self._folder(),
        }

    def _folder(self) -> dict[str, Any]:
        activity = self._activity
        files, size = self._journal.queue.waiting()
        if activity.last_file_at is None:
            activity.last_file_at = self._journal.files.last_found_at()
        scanned = activity.scanned_at
        return {
            "state": activity.folder.value,
            "last_scan_at": None if scanned is None else stamp(datetime.fromtimestamp(scanned, timezone.utc)),
            "last_file_at": activity.last_file_at,
            "files_waiting": files,
            "bytes_waiting": size,
        }

    def _push_config(self, known_checksum: str | None) -> None:
        """What the agent works by is the truth; the service keeps a copy."""
        checksum = hashlib.sha256(self._config_text).hexdigest()
        if checksum in (known_checksum, self._refused_checksum):
            return
        try:
            push_config(self._service, self._config_text, watcher_id=self.watcher_id)
        except Refused as refusal:
            if refusal.status != 400:
                raise
            self._refused_checksum = checksum
            self._chronicle.error(f"The service does not take the configuration: {refusal.message}")
            return
        self._chronicle.tell("config_synced", "Configuration sent to the service", checksum=checksum)


def push_config(service: Service, text: bytes, *, watcher_id: str, wanted_checksum: str | None = None) -> str:
    """Returns the checksum. Raises ServiceAway, Refused."""
    checksum = hashlib.sha256(text).hexdigest()
    service.push_config(
        watcher_id, config_yaml=text.decode("utf-8"), checksum=checksum, wanted_checksum=wanted_checksum
    )
    return checksum
