"""Children of the supervisor: started detached, found again by the log they write to, ended for certain."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from wire.kernel import call_libc

PR_SET_PDEATHSIG, PR_SET_NAME = 1, 15
MAX_LOG_BYTES = 50 * 1024 * 1024  # bytes; one older log is kept
POLL_SECONDS = 0.02  # seconds
SERVER_VARIABLES = ("PATH", "HOME", "TMPDIR", "TZ", "LD_LIBRARY_PATH")

StopSignals = Sequence[tuple[signal.Signals, float]]  # each signal with the seconds it is given; SIGKILL follows
_sessions: dict[Path, str] = {}  # what the files of sessions say, for where these are gone with their folder


def start_process(
    command: Sequence[str | Path],
    *,
    log: Path,
    environ: Mapping[str, str],
    cwd: Path,
    orphaned: signal.Signals = signal.SIGTERM,
    run_as: int | None = None,
    inherit: Sequence[int] = (),
    stdin: int = subprocess.DEVNULL,
    stdout: int | None = None,
) -> subprocess.Popen[bytes]:
    """A child in a session of its own, writing to `log`; it gets the signal `orphaned` when we die.

    `inherit` lists the descriptors it keeps; stdin is empty unless it is given one. Call from the main thread: the
    kernel watches the thread that called.
    """
    rotate_log(log)
    with log.open("ab") as output:
        child = subprocess.Popen(
            [str(part) for part in command],
            stdin=stdin,
            stdout=output if stdout is None else stdout,
            stderr=output,
            env=dict(environ),
            cwd=cwd,
            user=run_as,
            group=run_as,
            extra_groups=None if run_as is None else [],
            start_new_session=True,
            pass_fds=inherit,
            preexec_fn=partial(die_with, os.getpid(), orphaned),
        )
    note_session(log, child.pid)
    return child


def note_session(log: Path, pid: int) -> None:
    """The child `pid` writes to `log`, and so does what it starts."""
    _sessions[log] = f"{pid} {_read_status(pid).started}"
    _session_file(log).write_text(_sessions[log])


def build_server_environment() -> dict[str, str]:
    """What a database or queue has to know of our environment, in which there may be secrets of the service."""
    return {name: os.environ[name] for name in SERVER_VARIABLES if name in os.environ}


def die_with(parent: int, orphaned: signal.Signals) -> None:
    """Called by a new child: take the signal `orphaned` when its parent ends, and block none."""
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    call_libc("prctl", PR_SET_PDEATHSIG, int(orphaned), 0, 0, 0)
    if os.getppid() != parent:  # it died between fork and prctl
        os._exit(1)


def end_writers(log: Path, *, farewell: StopSignals = ()) -> None:
    """Leave no process behind that writes to `log`: ask the heads in turn, then kill whatever is left."""
    for number, patience in farewell:
        if _has_ended(log, signal_writers(log, number), patience):
            return
    for pid in (remaining := find_writers(log)):
        send_signal(pid, signal.SIGKILL)
    _has_ended(log, remaining, 5.0)


def signal_writers(log: Path, number: signal.Signals) -> list[int]:
    """Send a signal to the processes that head those writing to `log`; they look after their own children."""
    writers = find_writers(log)
    heads = [pid for pid in writers if _parent_of(pid) not in writers]  # known before the first of them ends
    for pid in heads:
        send_signal(pid, number)
    return writers


def _has_ended(log: Path, writers: list[int], patience: float) -> bool:
    deadline = time.monotonic() + patience
    while writers and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)
        writers = [*find_writers(log), *filter(_is_ending, writers)]
    return not writers


def _is_ending(pid: int) -> bool:
    """Already without memory and files of its own to be seen, but its threads may still hold the sockets open."""
    try:
        threads = len(list(Path(f"/proc/{pid}/task").iterdir()))
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return has_ended(pid) and (state != "Z" or threads > 1)


def find_writers(log: Path) -> list[int]:
    """Processes whose stdout or stderr is `log`: a child, and what it left behind under whatever parent.

    What hides its files (wire.kernel.forbid_inspection), or took them along to another place, is known by the session
    that the child began.
    """
    target, session = log.resolve(), _read_session(log)
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [pid for pid in pids if pid != os.getpid() and _writes_to(pid, target, session)]


def _writes_to(pid: int, log: Path, session: "Status | None") -> bool:
    for descriptor in (1, 2):
        try:
            if str(Path(f"/proc/{pid}/fd/{descriptor}").readlink()) in (str(log), f"{log} (deleted)"):
                return True
        except PermissionError:
            return _is_alive_in(session, pid)
        except OSError:  # it ended
            continue
    return not log.exists() and _is_alive_in(session, pid)


def _is_alive_in(session: "Status | None", pid: int) -> bool:
    return session is not None and not has_ended(pid) and _is_of_session(pid, session)


@dataclass(frozen=True)
class Status:
    """Of a process: what everybody may know."""

    pid: int
    parent: int
    session: int
    started: int  # ticks of the clock since the machine was started


def _read_status(pid: int) -> Status:
    """Raises OSError when it has ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return Status(pid, parent=int(fields[1]), session=int(fields[3]), started=int(fields[19]))


def forget_session(log: Path) -> None:
    _sessions.pop(log, None)
    _session_file(log).unlink(missing_ok=True)


def has_writer_ended(log: Path) -> bool:
    """Whether what was started last to write to `log` is over; no, where nothing was since `forget_session`."""
    session = _read_session(log)
    return session is not None and has_ended(session.pid)


def _session_file(log: Path) -> Path:
    return log.with_suffix(".session")


def _read_session(log: Path) -> Status | None:
    """The process that was started last to write to `log`, which began a session."""
    try:
        noted = _session_file(log).read_text()
    except OSError:
        noted = _sessions.get(log, "")
    try:
        pid, started = map(int, noted.split())
    except ValueError:
        return None
    return Status(pid, parent=0, session=pid, started=started)


def _is_of_session(pid: int, session: Status) -> bool:
    """A number is not given out again while its session lasts; after that, what has it is somebody else."""
    try:
        status = _read_status(pid)
        if status.session != session.pid or status.started < session.started:
            return False
        return _read_status(session.pid).started == session.started
    except FileNotFoundError:  # of the two, the one that began the session
        return not has_ended(pid)
    except OSError:
        return False


def has_ended(pid: int) -> bool:
    """Also where its entry in the process table stays until its parent takes note of the end."""
    try:
        return not Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return True


def _parent_of(pid: int) -> int | None:
    try:
        return _read_status(pid).parent
    except OSError:
        return None


def send_signal(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def rotate_log(log: Path) -> None:
    """Set aside a log that grew too long. Its writers append, so they go on in the emptied file."""
    if log.exists() and log.stat().st_size > MAX_LOG_BYTES:
        shutil.copyfile(log, log.with_suffix(".old.log"))
        os.truncate(log, 0)


def read_log_tail(log: Path, lines: int = 8) -> str:
    """The end of a log, for an error message. Its lines may be whole tracebacks in JSON."""
    text = log.read_text(errors="replace") if log.exists() else ""
    return "\n".join(line[:200] for line in text.strip().splitlines()[-lines:])
