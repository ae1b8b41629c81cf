"""Where a long reconciliation stands, so that the next one can go on there."""

import json
import time
from dataclasses import asdict
from pathlib import Path

from operations.reconciliation.comparison import Reconciliation, Tally

WRITE_INTERVAL_SECONDS = 2.0  # between two writes


class Checkpoint:
    """A small file in the data directory: there while a pass is under way, and after one that was cut off."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.written = time.monotonic()

    def read(self) -> tuple[str, bool, Tally] | None:
        """Position, whether bytes are read, and what was seen; None where no pass was cut off."""
        try:
            kept = json.loads(self.path.read_text())
            return kept["position"], kept["read"], Tally(**kept["tally"])
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return None

    def write(self, work: Reconciliation, *, at_once: bool = False) -> None:
        if work.position and (at_once or time.monotonic() - self.written > WRITE_INTERVAL_SECONDS):
            self.written = time.monotonic()
            part = self.path.with_name(f"{self.path.name}.part")
            part.write_text(json.dumps({"position": work.position, "read": work.read, "tally": asdict(work.tally)}))
            part.replace(self.path)

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)
