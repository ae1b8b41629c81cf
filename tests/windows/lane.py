"""The lane of Windows as a part of `./ids test --all`: `python -m tests.windows.lane` ends within minutes.

On a computer that is too slow for all of it the tests that did not begin in time skip, and say so.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import FrameType

from tests.windows.wine import CHECKOUT, KEPT, WORK, Wine

BEGIN_UNTIL = "IDS_WINDOWS_BEGIN_UNTIL"  # the moment after which no further test begins
BEGIN_SECONDS, WHOLE_SECONDS, END_SECONDS = 600, 1_200, 60
PYTEST = ["pytest", "-m", "windows", "tests/windows", "-n", "2", "--dist", "worksteal", "-q", "-rs"]


def main() -> int:
    """The exit code of pytest; 1 where it had to be ended."""
    signal.signal(signal.SIGTERM, _leave)
    others = _works()
    environ = os.environ | {BEGIN_UNTIL: str(time.time() + BEGIN_SECONDS)}
    pytest = subprocess.Popen([sys.executable, "-m", *PYTEST], cwd=CHECKOUT, env=environ, start_new_session=True)
    try:
        return pytest.wait(WHOLE_SECONDS)
    except subprocess.TimeoutExpired:
        sys.stderr.write(f"the lane of Windows did not end within {WHOLE_SECONDS} s\n")
        return 1
    finally:
        if pytest.poll() is None:
            end(pytest, others=others)


def end(pytest: "subprocess.Popen[bytes]", *, others: set[Path]) -> None:
    """With all that it started: the service in its group, and wine, whose processes are in none of ours."""
    with suppress(ProcessLookupError):  # nobody of the group is left
        os.killpg(pytest.pid, signal.SIGTERM)
        for _ in range(END_SECONDS):
            pytest.poll()
            time.sleep(1)
            os.killpg(pytest.pid, 0)
        os.killpg(pytest.pid, signal.SIGKILL)
    for work in _works() - others:
        Wine(work / "prefix").stop()
        shutil.rmtree(work, ignore_errors=True)


def _works() -> set[Path]:
    return set(KEPT.glob(f"{WORK}*"))


def _leave(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


if __name__ == "__main__":
    raise SystemExit(main())
