"""A signed-in person before a run's page."""

import pytest

from tests.factories import make_user
from tests.markup import address_of_run, flat


@pytest.fixture
def ines(client):
    person = make_user(display_name="Ines Okafor")
    client.force_login(person)
    return person


@pytest.fixture
def page(client, ines):
    def of(run, query=""):
        response = client.get(f"{address_of_run(run)}{query}")
        assert response.status_code == 200, response.content
        return flat(response)

    return of
