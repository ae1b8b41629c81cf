"""Children of the supervisor: started detached, found again by the log they write to, ended for certain."""

import ctypes
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

PR_SET_PDEATHSIG = 1
LOG_LIMIT = 50 * 1024 * 1024  # bytes; one older log is kept
POLL = 0.02  # seconds

Farewell = Sequence[tuple[signal.Signals, float]]  # each signal with the seconds it is given; SIGKILL follows

_libc = ctypes.CDLL(None, use_errno=True)


def start(
    command: Sequence[str | Path],
    *,
    log: Path,
    environ: Mapping[str, str],
    cwd: Path,
    orphaned: signal.Signals = signal.SIGTERM,
    run_as: int | None = None,
    inherit: Sequence[int] = (),
    stdout: int | None = None,
) -> subprocess.Popen[bytes]:
    """A child in a session of its own, without stdin, writing to `log`; it gets the signal `orphaned` when we die.

    `inherit` lists the descriptors it keeps. Call from the main thread: the kernel watches the thread that called.
    """
    shorten(log)
    with log.open("ab") as output:
        return subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=output if stdout is None else stdout,
            stderr=output,
            env=dict(environ),
            cwd=cwd,
            user=run_as,
            group=run_as,
            extra_groups=None if run_as is None else [],
            start_new_session=True,
            pass_fds=inherit,
            preexec_fn=_die_with(os.getpid(), orphaned),
        )


def _die_with(parent: int, orphaned: signal.Signals) -> Callable[[], None]:
    def prepare() -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        _libc.prctl(PR_SET_PDEATHSIG, int(orphaned), 0, 0, 0)
        if os.getppid() != parent:  # it died between fork and prctl
            os._exit(1)

    return prepare


def end(log: Path, *, farewell: Farewell = ()) -> None:
    """Leave no process behind that writes to `log`: ask the heads in turn, then kill whatever is left."""
    for number, patience in farewell:
        if _has_ended(log, ask(log, number), patience):
            return
    for pid in (remaining := writers_of(log)):
        send(pid, signal.SIGKILL)
    _has_ended(log, remaining, 5.0)


def ask(log: Path, number: signal.Signals) -> list[int]:
    """Send a signal to the processes that head those writing to `log`; they look after their own children."""
    writers = writers_of(log)
    for pid in writers:
        if _parent_of(pid) not in writers:
            send(pid, number)
    return writers


def _has_ended(log: Path, writers: list[int], patience: float) -> bool:
    deadline = time.monotonic() + patience
    while writers and time.monotonic() < deadline:
        time.sleep(POLL)
        writers = writers_of(log)
    return not writers


def writers_of(log: Path) -> list[int]:
    """Processes whose stdout or stderr is `log`: a child, and what it left behind under whatever parent."""
    target = str(log.resolve())
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [pid for pid in pids if pid != os.getpid() and _writes_to(pid, target)]


def _writes_to(pid: int, log: str) -> bool:
    for descriptor in (1, 2):
        try:
            if str(Path(f"/proc/{pid}/fd/{descriptor}").readlink()) == log:
                return True
        except OSError:  # it ended, or is not ours
            continue
    return False


def has_ended(pid: int) -> bool:
    """Also where its entry in the process table stays until its parent takes note of the end."""
    try:
        return not Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return True


def _parent_of(pid: int) -> int | None:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return None


def send(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def shorten(log: Path) -> None:
    """Set aside a log that grew too long. Its writers append, so they go on in the emptied file."""
    if log.exists() and log.stat().st_size > LOG_LIMIT:
        shutil.copyfile(log, log.with_suffix(".old.log"))
        os.truncate(log, 0)


def tail(log: Path, lines: int = 8) -> str:
    """The end of a log, for an error message. Its lines may be whole tracebacks in JSON."""
    text = log.read_text(errors="replace") if log.exists() else ""
    return "\n".join(line[:200] for line in text.strip().splitlines()[-lines:])
