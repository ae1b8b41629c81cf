"""The pytest plug-in (`-p tests.lanes`) that leaves to `--all` what starts a whole service for itself.

Who names a folder or a file means all that is in it. `--all` ends in time on a busy machine, too: after the moment that
`./ids test` sets no lane's test begins, and each one that did not says so.
"""

import os
import time
from collections.abc import Sequence

import pytest

WHOLE_SERVICE = "service"  # the fixture, whichever it is: of the agent's tests, the client's, the journeys
LANES = ("slow", "browser", "faults", "big", "stores", "pooler")
BEGIN_UNTIL = "IDS_LANES_BEGIN_UNTIL"  # seconds since 1970
ARE_NAMED = "IDS_TESTS_ARE_NAMED"  # pytest-xdist's workers inherit it; what they are given is always named


def pytest_configure(config: pytest.Config) -> None:
    are_named = config.args_source is pytest.Config.ArgsSource.ARGS
    os.environ.setdefault(ARE_NAMED, "yes" if are_named else "")


@pytest.hookimpl(tryfirst=True)  # before -m is asked
def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    if os.environ[ARE_NAMED]:
        return
    for item in items:
        if WHOLE_SERVICE in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(tryfirst=True)  # before its fixtures start anything
def pytest_runtest_setup(item: pytest.Item) -> None:
    if time.time() > float(os.environ.get(BEGIN_UNTIL, "inf")) and any(map(item.get_closest_marker, LANES)):
        pytest.skip("the time of --all was over before it could begin: run it by name")
