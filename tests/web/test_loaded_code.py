"""What a web process has loaded is no work for the collector, which then finds early what requests leave behind."""

import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
PROGRAM = """
import config.asgi, gc
print(len(gc.get_objects()), gc.get_freeze_count())
"""


def test_the_collector_looks_at_next_to_nothing_that_is_loaded(tmp_path):
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=CHECKOUT,
        env={
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "SECRET_KEY": "x" * 40,
            "DATABASE_URL": "postgres://x:x@127.0.0.1:1/x",
            "IDS_DATA": str(tmp_path),
            "PATH": "/usr/bin:/bin",
        },
        capture_output=True,
        text=True,
        check=True,
    )

    looked_at, exempt = map(int, ran.stdout.split())
    assert looked_at < exempt / 50
