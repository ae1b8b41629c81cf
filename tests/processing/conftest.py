"""One zygote serves all tests of a process; it is ended with them."""

from collections.abc import Iterator

import pytest

from processing.zygote import nursery


@pytest.fixture(scope="session", autouse=True)
def ended_zygote() -> Iterator[None]:
    yield
    nursery.close()


@pytest.fixture
def light_zygote(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Starts at once: for tests that need no reader of ours."""
    nursery.close()
    monkeypatch.setattr("processing.zygote.READERS", ())
    yield
    nursery.close()
