"""A plug-in whose every file takes all the time there is. `plugins` installs it by its metadata alone."""

import time
from pathlib import Path

from processing.readings import Input, InstrumentType, Limits, Output

PLUGINS = Path(__file__).with_name("plugins")
SECONDS = 180  # 120 where nothing is said
HOSTILE = InstrumentType(
    "hostile", "Hostile", ("burn",), "tests.faults.hostile_instrument:burn", limits=Limits(seconds=SECONDS)
)


def burn(given: Input) -> Output:
    while True:
        time.sleep(0.01)
