"""What the agent's threads do, over and over, whatever the weather: watch, report, beat, upload."""

import logging
import random
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from enum import Enum

from instrument_watcher.assembly import Parts
from instrument_watcher.config.model import UploadMode
from instrument_watcher.config.reading import ConfigInvalid, ConfigMissing, load_with_text, text_of
from instrument_watcher.errors import AgentError
from instrument_watcher.journal import database
from instrument_watcher.journal.database import JournalUnavailable, JournalUnreadable
from instrument_watcher.journal.rows import FileRow, FileState
from instrument_watcher.reporting.events import send_events
from instrument_watcher.reporting.heartbeat import Deregistered, InstanceConflict
from instrument_watcher.service.errors import AgentTooOld, Refused, ServiceAway, TokenRefused
from instrument_watcher.token_file import TokenMissing
from instrument_watcher.uploading.pacing import Stopping
from instrument_watcher.uploading.touched import compare_touched

log = logging.getLogger("instrument_watcher")
REPORT_EVERY = 5.0
QUEUE_EVERY = 20.0
CONFIG_EVERY = 5.0
PAUSE_EVERY = 20.0
UPDATE_EVERY = 3600.0
FIRST_UPDATE_WITHIN = 60.0
AFTER_CRASH = 30.0


class Outcome(str, Enum):
    """How a run of the agent ends where nothing is wrong."""

    STOPPED = "stopped"
    RECONFIGURED = "reconfigured"  # the configuration changed; begin anew with it
    UPDATED = "updated"  # another version is installed; start the process again
    JOURNAL_DAMAGED = "journal damaged"  # begin anew with another one


class Duties:
    """`finish` is told why the agent is to end."""

    def __init__(self, parts: Parts, *, finish: Callable[[Outcome | AgentError], None]) -> None:
        self._parts, self._finish = parts, finish
        self._bad_config = b""
        self._is_urgent = threading.Event()

    def threads(self) -> list[tuple[str, Callable[[], None]]]:
        """Name and work of each thread."""
        uploads = [(f"upload-{number + 1}", self.upload) for number in range(self._parts.config.uploads.parallel)]
        steady = [("watch", self.watch), ("report", self.report), ("pulse", self.beat), ("updates", self.update)]
        return [*steady, *uploads]

    def watch(self) -> None:
        parts = self._parts
        while not parts.stop.is_set():
            self._attempt("watching", lambda: parts.watch.run(parts.stop))

    def report(self) -> None:
        parts = self._parts
        while parts.link.wait_to_send(parts.stop):
            parts.news.clear()
            self._attempt("reporting", self._report)
            parts.news.wait(REPORT_EVERY)

    def beat(self) -> None:
        duties = [
            _Duty("heartbeats", self._beat, self._parts.config.heartbeat_seconds),
            _Duty("configuration", self._notice_new_config, CONFIG_EVERY),
            _Duty("pause", self._parts.pause.note_end, PAUSE_EVERY),
        ]
        if self._parts.config.upload_mode is UploadMode.MANUAL:
            duties.append(_Duty("requests", self._serve_requests, QUEUE_EVERY))
        while self._parts.link.wait(self._parts.stop):
            duty = min(duties, key=lambda duty: duty.due)
            if self._parts.stop.wait(max(0.0, duty.due - time.monotonic())):
                return
            if self._attempt(duty.name, duty.perform):
                duty.done()

    def update(self) -> None:
        """In a thread of its own: fetching and testing a release takes minutes on a slow line."""
        parts = self._parts
        self._is_urgent.wait(random.uniform(1, FIRST_UPDATE_WITHIN))
        while parts.link.wait(parts.stop):
            self._attempt("updates", self._look_for_update)
            if parts.stop.is_set():  # which may have been taken for urgency
                return
            self._is_urgent.wait(UPDATE_EVERY * random.uniform(0.9, 1.1))

    def upload(self) -> None:
        parts = self._parts
        while parts.link.wait_to_send(parts.stop) and parts.pause.wait_over(parts.stop):
            self._attempt("uploading", self._upload_next)

    def _upload_next(self) -> None:
        parts = self._parts
        row = parts.board.take()
        if row is None:
            return
        try:
            if not (parts.link.held.is_set() or parts.pause.is_on()):
                self._work_on(row)
        finally:
            parts.board.give_back(row)
        if row.state is FileState.COMPARING:
            parts.news.set()

    def _work_on(self, row: FileRow) -> None:
        parts = self._parts
        if row.state is FileState.UPLOADED:
            root, pace = parts.config.watch_directory, parts.pace
            compare_touched(row, root=root, journal=parts.journal, activity=parts.activity, pace=pace)
        else:
            parts.uploader.upload(row)

    def _report(self) -> None:
        parts = self._parts
        parts.rebuilder.learn_stored()
        parts.reporter.resume()
        while not parts.stop.is_set() and parts.reporter.report():
            parts.board.ring()
        while not parts.stop.is_set() and self._send_events():
            pass

    def _send_events(self) -> bool:
        parts = self._parts
        return send_events(parts.journal.events, parts.service, watcher_id=parts.heart.watcher_id)

    def _beat(self) -> None:
        parts = self._parts
        if parts.link.is_to_keep_still():
            return
        try:
            answer = parts.heart.beat()
            parts.link.release()
            parts.updates.note_heartbeat()
            if answer.upload_requests:
                self._serve_requests()
            if parts.wanted_configs.take(answer.wanted_config):
                self._finish(Outcome.RECONFIGURED)
        except InstanceConflict as conflict:
            if parts.link.hold(conflict.message):
                log.error("%s %s", conflict.message, conflict.remedy)
        except AgentTooOld as too_old:
            log.error("%s %s", too_old.message, too_old.remedy)
            self._is_urgent.set()

    def _serve_requests(self) -> None:
        if self._parts.requests.take():
            self._parts.board.ring()

    def end_waits(self) -> None:
        """The agent stops."""
        self._is_urgent.set()

    def _look_for_update(self) -> None:
        is_urgent = self._is_urgent.is_set()
        if is_urgent:  # else who says so just now would not be heard
            self._is_urgent.clear()
        if self._parts.updates.look(urgent=is_urgent):
            self._finish(Outcome.UPDATED)

    def _notice_new_config(self) -> None:
        """A valid change is taken over; an invalid one is complained about once."""
        try:
            if text_of(self._parts.home.config) in (self._parts.config_text, self._bad_config):
                return
            text, _ = load_with_text(self._parts.home.config)
        except ConfigMissing:
            return
        except ConfigInvalid as invalid:
            self._bad_config = invalid.text
            self._parts.chronicle.error(f"The changed configuration is not taken over. {invalid.message}")
            return
        if text != self._parts.config_text:
            log.info("The configuration changed; the agent takes it over.")
            self._finish(Outcome.RECONFIGURED)

    def _attempt(self, what: str, work: Callable[[], None]) -> bool:
        """Whether it went well. What goes wrong outside is waited for; what goes wrong inside is told first."""
        try:
            work()
        except Stopping:
            pass
        except Deregistered as error:
            self._finish(error)
        except (ServiceAway, TokenRefused) as error:
            self._parts.link.found_away(error)
        except JournalUnavailable:
            self._parts.stop.wait(database.RETRY_SECONDS)  # the journal has said so
        except JournalUnreadable:
            self._finish(Outcome.JOURNAL_DAMAGED)
        except (Refused, TokenMissing) as error:
            self._tell(f"{what}: {error.message}")
            self._parts.stop.wait(AFTER_CRASH)
        except Exception as error:
            log.exception("A fault in the agent itself, while %s", what)
            self._tell(f"A fault in the agent itself, while {what}: {type(error).__name__}: {error}")
            self._parts.stop.wait(AFTER_CRASH)
        else:
            return True
        return False

    def _tell(self, message: str) -> None:
        """The log has it in any case."""
        with suppress(JournalUnavailable, JournalUnreadable):
            self._parts.chronicle.error(message)


class _Duty:
    """Something to be done every so often, a little earlier or later each time, so that many agents do not meet."""

    def __init__(self, name: str, perform: Callable[[], None], every: float, *, first: float = 0.0) -> None:
        self.name, self.perform, self._every = name, perform, every
        self.due = time.monotonic() + first

    def done(self) -> None:
        self.due = time.monotonic() + self._every * random.uniform(0.9, 1.1)
