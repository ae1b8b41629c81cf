"""The black-box suite that was written from the specification alone; it lies beside the checkout, if anywhere."""

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sign_in import PASSWORD

SUITE = Path(__file__).resolve().parents[2] / "shared" / "conformance"
GROUPS = (
    "errors",
    "instruments",
    "comments",
    "claims",
    "watchers",
    "service",
)  # those that need no shell of the machine
PEOPLE = ("admin", "member", "other")
OF_ITS_OWN_SERVICE = "running service given"
MAX_SECONDS = 900
ALL_SCOPES = "from accounts.scopes import Scope; print(','.join(Scope))"


def skip_without_suite() -> None:
    if not (SUITE / "run.sh").exists():
        pytest.skip("the suite of the specification is not part of the project")


def run_suite(url: str, manage: Callable[..., str], *, groups: tuple[str, ...] = GROUPS) -> tuple[str, list[str]]:
    """Its last line (`N passed, M failed`) and what failed, against a running service.

    Checks that must have started the service themselves, to read its log, are left out.
    """
    scopes = manage("shell", "-v", "0", "-c", ALL_SCOPES).strip()
    environ = os.environ | {"BASE_URL": url, "FULL_TOKEN": manage("create_token", "suite", "--scopes", scopes).strip()}
    for role in PEOPLE:
        email = f"{role}@conformance.example"
        command, variable = ("admin", "IDS_ADMIN_PASSWORD") if role == "admin" else ("user", "IDS_USER_PASSWORD")
        manage(f"create_{command}", email, **{variable: PASSWORD})
        environ[role.upper()] = f"{email}:{PASSWORD}"
    environ |= {"CONF_SECONDS": str(MAX_SECONDS - 120)}
    done = subprocess.run(
        ["sh", str(SUITE / "run.sh"), "-", *groups], env=environ, capture_output=True, text=True, timeout=MAX_SECONDS
    )
    lines = done.stdout.splitlines() or [done.stderr[-2000:]]
    assert re.fullmatch(r"\d+ passed, \d+ failed", lines[-1]), lines
    return lines[-1], [line for line in lines if line.startswith("FAIL") and OF_ITS_OWN_SERVICE not in line]
