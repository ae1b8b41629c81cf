"""The agent in a hurry on a computer whose clock somebody moves: by the seconds in the file CLOCK_SHIFT."""

import os
import runpy
import time
from datetime import timedelta
from pathlib import Path

from instrument_watcher import clock

_shift, _time, _utc_now = Path(os.environ["CLOCK_SHIFT"]), time.time, clock.utc_now


def shift() -> float:
    return float(_shift.read_text() or 0) if _shift.exists() else 0.0


if __name__ == "__main__":
    time.time = lambda: _time() + shift()
    clock.utc_now = lambda: _utc_now() + timedelta(seconds=shift())
    runpy.run_path(str(Path(__file__).with_name("hasty.py")), run_name="__main__")
