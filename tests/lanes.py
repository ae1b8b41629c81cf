"""The pytest plug-in (`-p tests.lanes`) that leaves to `--all` what starts a whole service for itself.

Who names a folder or a file means all that is in it.
"""

import os
from collections.abc import Sequence

import pytest

WHOLE_SERVICE = "service"  # the fixture, whichever it is: of the agent's tests, the client's, the journeys
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
