"""Who is signed out meets the sign-in, and is led back to the page they were on; a refusal says what is wrong."""

import pytest
from django.test import Client

from tests.factories import make_run, make_user

PAGE = "http://testserver/runs?search=ref#rows"
BACK = "/accounts/login/?next=/runs%3Fsearch%3Dref"


@pytest.fixture
def stranger(db):
    return Client()


@pytest.fixture
def person(db):
    client = Client(enforce_csrf_checks=True)
    client.force_login(make_user(), backend="allauth.account.auth_backends.AuthenticationBackend")
    return client


def test_a_form_leads_back_to_its_page(stranger):
    answer = stranger.post("/feedback", {"title": "x"}, headers={"Referer": PAGE})

    assert (answer.status_code, answer["Location"]) == (302, BACK)


@pytest.mark.parametrize("origin", ["", "https://elsewhere.example/runs", "http://testserver//elsewhere.example"])
def test_a_form_of_no_page_of_ours_leads_home(stranger, origin):
    assert stranger.post("/feedback", headers={"Referer": origin})["Location"] == "/accounts/login/?next=/"


def test_a_part_of_a_page_sends_the_whole_page_to_the_sign_in(stranger):
    answer = stranger.get("/runs?search=refs", headers={"HX-Request": "true", "HX-Current-URL": PAGE})

    assert (answer.status_code, answer["HX-Redirect"], answer.content) == (200, BACK, b"")


def test_a_page_whose_token_is_old_says_so_and_offers_itself_anew(person):
    run = make_run()

    answer = person.post(f"/instruments/{run.instrument_id}/runs/{run.run_id}/comments", headers={"Referer": PAGE})

    page = answer.content.decode()
    assert answer.status_code == 403
    assert "This page is too old" in page
    assert 'href="/runs?search=ref"' in page
    assert "lacks the right" not in page


@pytest.mark.parametrize(
    ("query", "fault"),
    [("per_page=200", "per_page: "), ("status=weird", "status: "), ("date_from=yesterday", "date_from: ")],
    ids=["per_page", "status", "date_from"],
)
def test_a_filter_that_cannot_be_names_its_field_beside_the_navigation(person, query, fault):
    answer = person.get(f"/runs?{query}")

    page = answer.content.decode()
    assert answer.status_code == 400
    assert fault in page
    assert 'aria-label="Main"' in page
    assert '<a href="/runs">' in page


@pytest.mark.parametrize("path", ["/settings/eln", "/inbox/read", "/settings/tokens/revoke"])
def test_the_address_of_a_form_opened_by_itself_says_so(db, client, path):
    client.force_login(make_user(is_admin=True))

    answer = client.get(path)

    assert (answer.status_code, answer["Allow"]) == (405, "POST")
    assert "Nothing is shown here" in answer.content.decode()
