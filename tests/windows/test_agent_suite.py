"""The agent's own tests, on Windows' Python, in parts that a worker ends in minutes."""

from pathlib import Path

import pytest

from agent.tests.not_on_windows import NOT_ON_WINDOWS
from tests.service import Service
from tests.windows import wine

pytestmark = [pytest.mark.windows, pytest.mark.slow]
SUITE = wine.windows_path(wine.CHECKOUT / "tests" / "windows" / "agent_suite.ini")
SAME_EVERYWHERE = {  # what would show nothing more here, and takes minutes: starting Python on wine is slow
    "test_address.py": "what is typed as an address, and who answers there",
    "test_clock.py": "waits after a clock was set, reckoned without the system's clock",
    "test_commands.py": "words of the commands; the day and the installer's tests call the installed ones",
    "test_drill.py": "all faults at once; each by itself is among those that run",
    "test_enrolling.py": "words with the service; the installer's tests trade a real code",
    "test_link_quality.py": "parts of a size, through a proxy that cuts",
    "test_local_page.py": "words of the page and who may see it; the day opens the installed one",
    "test_lost_journal.py": "what a new journal learns from the service; a damaged one is among those that run",
    "test_offline.py": "what waits while the service is away",
    "test_page_actions.py": "the page's buttons; the day presses one",
    "test_remote_config.py": "what of another's configuration is taken; the day takes one",
    "test_returning.py": "what the service lists of a folder that was away; the day has a drive that leaves",
    "test_state.py": "words of the journal and of the service",
    "test_versions.py": "names of versions; changed files are among those that run",
}
FILES = sorted((wine.CHECKOUT / "agent" / "tests").glob("test_*.py"))
TESTS = [place for place in FILES if place.name not in {*NOT_ON_WINDOWS, *SAME_EVERYWHERE}]
BYTECODE = wine.windows_path(wine.KEPT / "pycache")
PARTS = 18
PART_SECONDS = 480  # seldom a tenth of it is needed; with what is set up before, less than a test's ten minutes


@pytest.mark.parametrize("part", range(PARTS))
def test_the_agents_own_tests_hold_on_windows(
    windows: wine.Wine, service: Service, tokens: tuple[str, str], tmp_path: Path, part: int
):
    said = tmp_path / "said.log"
    tests = [wine.windows_path(place) for place in TESTS[part::PARTS]]

    suite = windows.start(
        wine.PYTHON, "-X", "utf8", "-m", "pytest", "-c", SUITE, *tests, output=said,
        IDS_SERVICE_URL=service.url, IDS_SERVICE_TOKENS=" ".join(tokens), PYTHONPYCACHEPREFIX=BYTECODE,
    )  # fmt: skip
    code = wine.wait_for(suite, seconds=PART_SECONDS)

    told = said.read_text(errors="replace")
    assert code == 0, told[-20_000:]
    assert " passed" in told.splitlines()[-1], told[-20_000:]  # a process that wine lost answers 0
