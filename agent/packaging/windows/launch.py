"""What instrument-watcher.exe runs: one home for the whole computer, whoever calls."""

import os
from pathlib import Path

os.environ.setdefault("INSTRUMENT_WATCHER_HOME", str(Path(os.environ["PROGRAMDATA"]) / "InstrumentWatcher"))

from instrument_watcher.entry import main

main()
