"""The story of one random day: `python -m tests.model.attack SEED [STEPS]`."""

import os
import sys
from pathlib import Path

import pytest

SEED, STEPS = "IDS_MODEL_SEED", "IDS_MODEL_STEPS"


def tell(seed: int, *, length: str = "") -> int:
    """In a session of pytest's own, which begins the servers."""
    os.environ |= {SEED: str(seed), STEPS: length}
    return int(pytest.main(["-q", "-s", f"{Path(__file__).with_name('test_attack.py')}", "-k", "on_a_random_day"]))


if __name__ == "__main__":
    sys.exit(tell(int(sys.argv[1]), length=sys.argv[2] if sys.argv[2:] else ""))
