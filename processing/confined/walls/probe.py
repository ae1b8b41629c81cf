"""`python -I processing/confined/walls/probe.py` prints as JSON which walls this machine cannot raise, and why."""

import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from processing.confined.walls.raising import probe_walls

if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="ids-walls-") as home:
        sys.stdout.write(json.dumps(probe_walls(Path(home))))
