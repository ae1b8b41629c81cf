"""The search over everything, as a page and as the palette's list."""

import pytest

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
