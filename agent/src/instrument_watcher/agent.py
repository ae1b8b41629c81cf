"""The agent: a watched directory, a journal and a service, and the threads between them."""

import logging
import platform
import threading
from collections.abc import Callable

from instrument_watcher import __version__
from instrument_watcher.assembly import Parts, assemble
from instrument_watcher.config.model import UploadMode
from instrument_watcher.duties import Duties, Outcome
from instrument_watcher.errors import AgentError
from instrument_watcher.home import Home
from instrument_watcher.reporting.events import send_events
from instrument_watcher.reporting.heartbeat import Deregistered

log = logging.getLogger("instrument_watcher")
JOIN_SECONDS = 15.0


class Agent:
    """One instrument's agent. `run` blocks until `stop`, which any thread or signal handler may call."""

    def __init__(self, home: Home) -> None:
        self.parts: Parts = assemble(home)
        self._duties = Duties(self.parts, finish=self._finish)
        self._ending: Outcome | AgentError = Outcome.STOPPED

    def stop(self) -> None:
        self.parts.stop.set()
        self.parts.news.set()
        self.parts.watch.stop()
        self.parts.board.stop()

    def run(self, *, wait: Callable[[threading.Event], None]) -> Outcome:
        """`wait` is what the calling thread does until the event is set. Raises Deregistered."""
        self._begin()
        threads = [threading.Thread(target=work, name=name, daemon=True) for name, work in self._duties.threads()]
        for thread in threads:
            thread.start()
        try:
            wait(self.parts.stop)
        finally:
            self.stop()
            for thread in threads:
                thread.join(JOIN_SECONDS)
            self._end()
        if isinstance(self._ending, AgentError):
            raise self._ending
        return self._ending

    def _finish(self, ending: Outcome | AgentError) -> None:
        self._ending = ending
        self.stop()

    def _begin(self) -> None:
        journal = self.parts.journal
        journal.files.forget_refused()
        journal.queue.forget_delays()
        if self.parts.config.upload_mode is UploadMode.AUTO:
            journal.files.want_everything()
        self.parts.chronicle.tell(
            "watcher_started", f"Agent {__version__} started", version=__version__, hostname=platform.node()
        )
        self.parts.updates.note_outcome()

    def _end(self) -> None:
        """Say goodbye, if the service is there to hear it."""
        parts = self.parts
        parts.chronicle.tell("watcher_stopped", "Agent stopped")
        goes_on = self._ending is Outcome.RECONFIGURED
        try:
            if parts.link.is_up() and not goes_on and not isinstance(self._ending, Deregistered):
                send_events(parts.journal.events, parts.service, watcher_id=parts.heart.watcher_id)
                parts.heart.beat(status="stopped")
        except AgentError as error:
            log.debug("No goodbye: %s", error.message)
        parts.close()
