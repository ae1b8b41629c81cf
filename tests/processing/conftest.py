"""One fork server serves all tests of a process; it is ended with them."""

from collections.abc import Iterator

import pytest

from processing.confined.fork_server_client import fork_server_pool


@pytest.fixture(scope="session", autouse=True)
def ended_fork_server() -> Iterator[None]:
    yield
    fork_server_pool.close()


@pytest.fixture
def light_fork_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Starts at once: for tests that need no reader of ours."""
    fork_server_pool.close()
    monkeypatch.setattr("processing.confined.fork_server_client.READER_MODULES", ())
    yield
    fork_server_pool.close()
