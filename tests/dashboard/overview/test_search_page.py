"""The search over everything, as a page and as the palette's list."""

import pytest

from dashboard.overview.places import PLACES
from tests.factories import make_comment, make_file, make_instrument, make_run, make_user
from tests.markup import flat

pytestmark = pytest.mark.django_db


@pytest.fixture
def person(client):
    client.force_login(make_user())
    return client


def test_it_works_without_script(person):
    run = make_run(run_id="2026_lysozyme")
    make_file("Lyso_t030.jdx", run=run)
    make_instrument(id="lyso-reader", display_name="Lysometer")
    make_comment(run=run, body="The lysozyme shoulder is real.")

    page = flat(person.get("/search?q=lyso"))

    assert f'href="/instruments/{run.instrument_id}/runs/2026_lysozyme"' in page
    assert "2026_<mark>lyso</mark>zyme" in page
    assert "<mark>Lyso</mark>_t030.jdx" in page
    assert 'href="/instruments/lyso-reader"' in page
    assert "The <mark>lyso</mark>zyme shoulder is real." in page


def test_the_palette_gets_the_hits_alone(person):
    make_run(run_id="lysozyme")

    page = person.get("/search?q=lyso", headers={"HX-Request": "true"}).content.decode()

    assert "<html" not in page
    assert 'role="option"' in page
    assert "1 result<" in page


def test_one_kind_can_be_asked_for(person):
    make_run(run_id="lysozyme")
    make_file("lyso.jdx")

    page = flat(person.get("/search?q=lyso&scope=files"))

    assert "<mark>lyso</mark>.jdx" in page
    assert "<mark>lyso</mark>zyme" not in page


@pytest.mark.parametrize("typed", ["", "l", "%ED%A0%80x", "l" * 5000, "%25%25", "(a%2B)%2B$"])
def test_odd_questions_find_nothing_and_break_nothing(person, typed):
    make_run(run_id="lysozyme")

    response = person.get(f"/search?q={typed}&scope=nothing")

    assert response.status_code == 200
    assert b"lysozyme" not in response.content


def test_a_question_that_is_no_text_is_refused(person):
    assert person.get("/search?q=%00%00").status_code == 400


def test_what_is_found_and_what_was_typed_are_shown_as_text(person):
    make_run(run_id="<b>lyso<b>")

    page = flat(person.get("/search?q=%3Cb%3Elyso"))

    assert "<mark>&lt;b&gt;lyso</mark>&lt;b&gt;" in page
    assert "<b>lyso" not in page


def test_strangers_are_asked_to_sign_in(client):
    assert client.get("/search?q=lyso").status_code == 302


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("proj", "/projects"),
        ("upload fold", "/runs/new"),
        ("silent", "/watchers"),
        ("invite", "/settings/members?invite=1"),
        ("tokens", "/settings/tokens"),
    ],
)
def test_the_palette_leads_to_pages_by_what_they_are_for(client, typed, first):
    client.force_login(make_user(is_admin=True))

    answer = client.get(f"/search?q={typed}", headers={"HX-Request": "true"})

    assert answer.context["places"][0].href == first
    assert f'href="{first}"' in answer.content.decode()


def test_pages_of_admins_are_offered_to_admins_alone(person):
    answer = person.get("/search?q=settings", headers={"HX-Request": "true"})

    assert answer.context["places"]
    assert not [place for place in answer.context["places"] if place.is_for_admins]
    assert not person.get("/search?q=invite", headers={"HX-Request": "true"}).context["places"]


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.label)
def test_each_place_is_a_page_for_whom_it_is_offered(client, place):
    client.force_login(make_user(is_admin=place.is_for_admins))

    assert client.get(place.href).status_code == 200
