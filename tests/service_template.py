"""A data directory as the first start leaves it, made once: a start on a copy takes a third of a first one."""

import fcntl
import hashlib
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
KEPT = CHECKOUT / "var" / "cache" / "service"
SOURCES = ("*/migrations/*.py", "operations/embedded/*.py", "requirements.lock")
OF_ONE_RUN = ("logs", "service.json")


def copy_template(data: Path, *, make: Callable[[Path], None]) -> None:
    """`data` is made from the template; `make` fills an empty place and leaves nothing running."""
    KEPT.mkdir(parents=True, exist_ok=True)
    template = KEPT / _name_state()
    with (KEPT / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not template.exists():
            for old in KEPT.glob("state-*"):
                shutil.rmtree(old)
            _keep_first_start(template, make)
    _copy(template, data)


def _keep_first_start(template: Path, make: Callable[[Path], None]) -> None:
    """Made where the tests' services are: as whoever PostgreSQL runs, it reaches that, and perhaps not the checkout."""
    part = template.with_name("part")
    shutil.rmtree(part, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="ids-first-start-") as folder:
        data = Path(folder, "data")
        make(data)
        for name in OF_ONE_RUN:
            path = data / name
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        _copy(data, part)
    part.rename(template)


def _copy(source: Path, target: Path) -> None:
    """With owners and rights."""
    subprocess.run(["cp", "--archive", "--reflink=auto", str(source), str(target)], check=True)


def _name_state() -> str:
    digest = hashlib.sha256()
    for path in sorted(path for pattern in SOURCES for path in CHECKOUT.glob(pattern)):
        digest.update(path.read_bytes())
    return f"state-{digest.hexdigest()[:16]}"
