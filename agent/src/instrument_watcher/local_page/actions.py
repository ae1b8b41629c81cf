"""What the page lets people do: send now, pause, go on, check."""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from instrument_watcher.assembly import Parts
from instrument_watcher.checking import look_ahead
from instrument_watcher.errors import AgentError
from instrument_watcher.home import Home
from instrument_watcher.probing import Finding, Probe

log = logging.getLogger("instrument_watcher")
PAUSES = {"15": "15 minutes", "60": "1 hour", "240": "4 hours", "720": "12 hours"}  # minutes


class BadForm(Exception):
    """What was sent is not what the page's form sends."""


@dataclass(frozen=True)
class CheckResult:
    """What held, then what did not; what would be uploaded, where everything held."""

    at: float
    findings: list[Finding]
    fault: AgentError | None = None
    files: int = 0
    size: int = 0
    runs: int = 0
    refused: int = 0


class Checker:
    """What `instrument-watcher check` does, in a thread of its own: it asks the service and reads the whole folder."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._lock = threading.Lock()
        self.is_running = False
        self.result: CheckResult | None = None

    def begin(self) -> None:
        """Nothing where it runs already."""
        with self._lock:
            if self.is_running:
                return
            self.is_running = True
        threading.Thread(target=self._run, name="check", daemon=True).start()

    def _run(self) -> None:
        try:
            self.result = check_agent(self._home)
        except Exception as error:
            log.exception("A fault in the agent itself, while checking")
            fault = AgentError(
                f"A fault in the agent itself: {type(error).__name__}", remedy="The log below says more."
            )
            self.result = CheckResult(time.time(), [], fault=fault)
        finally:
            self.is_running = False


def check_agent(home: Home) -> CheckResult:
    probe, findings = Probe(home), list[Finding]()
    try:
        for finding in probe.findings():
            findings.append(finding)  # kept also where a later one raises
        assert probe.config is not None, "the first finding is about the configuration"
        outlook = look_ahead(home, probe.config)
    except AgentError as error:
        return CheckResult(time.time(), findings, fault=error)
    size = sum(file.size for file in outlook.new)
    runs, refused = len(outlook.plan.runs), len(outlook.plan.refused)
    return CheckResult(time.time(), findings, files=len(outlook.new), size=size, runs=runs, refused=refused)


class Actions:
    """Each takes the form's fields. Raises BadForm, JournalUnavailable, JournalUnreadable."""

    def __init__(self, parts: Parts, checker: Checker) -> None:
        self._parts, self._checker = parts, checker
        self.by_path: dict[str, Callable[[Mapping[str, str]], None]] = {
            "/upload-now": self._upload_now,
            "/pause": self._pause,
            "/resume": self._resume,
            "/check": self._check,
        }

    def _upload_now(self, form: Mapping[str, str]) -> None:
        """No wait holds it up: not that of a pause, of a file that settles, of one that failed, or for the service."""
        parts = self._parts
        parts.pause.end()
        parts.journal.queue.forget_delays()
        parts.link.try_now()
        parts.watch.hurry()
        self._ring()

    def _pause(self, form: Mapping[str, str]) -> None:
        minutes = form.get("minutes", "")
        if minutes not in PAUSES:
            raise BadForm(f"A pause is of {', '.join(PAUSES)} minutes.")
        self._parts.pause.begin(60.0 * int(minutes))
        self._parts.news.set()

    def _resume(self, form: Mapping[str, str]) -> None:
        self._parts.pause.end()
        self._ring()

    def _check(self, form: Mapping[str, str]) -> None:
        self._checker.begin()

    def _ring(self) -> None:
        self._parts.news.set()
        self._parts.board.ring()
