from collections.abc import Iterator

import pytest

from tests.web.front_door import Echo, front_door


@pytest.fixture(scope="session")
def shared_echo() -> Echo:
    return Echo()


@pytest.fixture(scope="session")
def shared_url(shared_echo: Echo) -> Iterator[str]:
    with front_door(shared_echo) as url:
        yield url


@pytest.fixture
def echo(shared_echo: Echo) -> Echo:
    shared_echo.paths.clear()
    return shared_echo


@pytest.fixture
def url(shared_url: str, echo: Echo) -> str:
    return shared_url
