"""The agent: a watched directory, a journal and a service, and the threads between them."""

import logging
import platform
import threading
import time
from collections.abc import Callable

from instrument_watcher import __version__
from instrument_watcher.assembly import Parts, assemble
from instrument_watcher.config.model import OnChange, UploadMode
from instrument_watcher.duties import Duties, Outcome
from instrument_watcher.errors import AgentError
from instrument_watcher.home import Home
from instrument_watcher.journal import database
from instrument_watcher.journal.database import JournalUnavailable
from instrument_watcher.local_page.local_page import LocalPage
from instrument_watcher.metrics import MetricsServer
from instrument_watcher.reporting.events import send_events
from instrument_watcher.reporting.heartbeat import Deregistered

log = logging.getLogger("instrument_watcher")
JOIN_SECONDS = 15.0  # for all threads together; what is under way goes on at the next start
GOODBYE_SECONDS = 5.0


class Agent:
    """One instrument's agent. `run` blocks until `stop`, which any thread or signal handler may call."""

    def __init__(self, home: Home) -> None:
        self.parts: Parts = assemble(home)
        self._duties = Duties(self.parts, finish=self._finish)
        self._metrics = MetricsServer(self.parts)
        self._page = LocalPage(self.parts)
        self._ending: Outcome | AgentError = Outcome.STOPPED

    def stop(self) -> None:
        self.parts.stop.set()
        self.parts.news.set()
        self.parts.watch.stop()
        self.parts.board.stop()
        self._duties.end_waits()

    def run(self, *, wait: Callable[[threading.Event], None]) -> Outcome:
        """`wait` is what the calling thread does until the event is set. Raises Deregistered."""
        self._page.start()
        self._begin()
        self._metrics.start()
        threads = [threading.Thread(target=work, name=name, daemon=True) for name, work in self._duties.threads()]
        for thread in threads:
            thread.start()
        try:
            wait(self.parts.stop)
        finally:
            self.stop()
            self._metrics.stop()
            self._page.stop()
            deadline = time.monotonic() + JOIN_SECONDS
            for thread in threads:
                thread.join(max(0.0, deadline - time.monotonic()))
            self._end()
        if isinstance(self._ending, AgentError):
            raise self._ending
        return self._ending

    def _finish(self, ending: Outcome | AgentError) -> None:
        self._ending = ending
        self.stop()

    def _begin(self) -> None:
        """As soon as the journal can be written."""
        while not self.parts.stop.is_set():
            try:
                self._prepare_journal()
                return
            except JournalUnavailable:
                self.parts.stop.wait(database.RETRY_SECONDS)

    def _prepare_journal(self) -> None:
        parts, journal = self.parts, self.parts.journal
        with journal.transaction():
            journal.files.forget_refused()
            journal.queue.forget_delays()
            if parts.config.on_change is OnChange.VERSION:
                journal.files.want_changed()
            if parts.config.upload_mode is UploadMode.AUTO:
                journal.files.want_everything()
            parts.chronicle.tell(
                "watcher_started", f"Agent {__version__} started", version=__version__, hostname=platform.node()
            )
            parts.updates.note_outcome()

    def _end(self) -> None:
        """Say goodbye, if the service is there to hear it."""
        parts = self.parts
        parts.connection.wait_at_most(GOODBYE_SECONDS)
        goes_on = self._ending in (Outcome.RECONFIGURED, Outcome.JOURNAL_DAMAGED)
        try:
            parts.chronicle.tell("watcher_stopped", "Agent stopped")
            if parts.link.is_up() and not goes_on and not isinstance(self._ending, Deregistered):
                send_events(parts.journal.events, parts.service, watcher_id=parts.heart.watcher_id)
                parts.heart.beat(status="stopped")
        except AgentError as error:
            log.debug("No goodbye: %s", error.message)
        parts.close()
