"""The tour is offered to who is new, and never again once it was taken or declined."""

from datetime import timedelta

import pytest

from tests.factories import make_run, make_user
from wire.clock import now

pytestmark = pytest.mark.django_db
OFFER = "No, thanks"


@pytest.fixture
def mira(client):
    make_run()
    person = make_user()
    client.force_login(person)
    return person


def test_it_is_offered_until_it_is_declined(client, mira):
    assert OFFER in client.get("/").content.decode()

    assert client.post("/tour", {"next": "/"})["Location"] == "/"

    assert OFFER not in client.get("/").content.decode()
    mira.refresh_from_db()
    assert mira.tour_ended_at is not None


def test_once_it_was_left_it_is_still_reached_from_the_keys(client, mira):
    client.post("/tour", headers={"HX-Request": "true"})

    page = client.get("/runs").content.decode()

    assert 'commandfor="tour"' in page
    assert 'id="tour"' in page


def test_who_has_been_here_long_is_not_offered_it(client, mira):
    type(mira).objects.filter(pk=mira.pk).update(created_at=now() - timedelta(days=31))

    assert OFFER not in client.get("/").content.decode()
