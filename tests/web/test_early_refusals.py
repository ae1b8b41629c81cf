"""What is refused before anybody reads it: a page to who sent a form, the envelope to programs."""

import pytest
import requests
from django.test import override_settings

from tests.web.front_door import CREDENTIAL, error_of
from web.server.bodies import MIB, SMALL_BODY_BYTES

FORM = "application/x-www-form-urlencoded"


def post(url, *, size, kind=FORM, path="/instruments/a/runs/b/comments", **headers):
    named = {"Content-Type": kind, **headers}
    return requests.post(f"{url}{path}", data=b"body=" + size * b"x", headers=named, timeout=30)


def test_a_large_form_of_who_is_signed_out_leads_to_the_sign_in_and_back(url, echo):
    answer = post(url, size=SMALL_BODY_BYTES, Referer=f"{url}/instruments/a/runs/b?comments=2")

    assert (answer.status_code, answer.headers["Content-Type"]) == (413, "text/html; charset=utf-8")
    assert "You are no longer signed in" in answer.text
    assert 'href="/accounts/login/?next=%2Finstruments%2Fa%2Fruns%2Fb%3Fcomments%3D2"' in answer.text
    assert "data-interrupts" in answer.text
    assert "script-src" in answer.headers["Content-Security-Policy"]
    assert answer.headers["Cache-Control"] == "no-store"
    assert echo.paths == []


def test_a_page_elsewhere_is_led_back_to_by_nobody(url):
    answer = post(url, size=SMALL_BODY_BYTES, Referer="http://evil.example/instruments/a")

    assert 'href="/accounts/login/"' in answer.text


def test_a_form_beyond_every_limit_says_what_to_do(url):
    answer = post(url, size=MIB, **CREDENTIAL)

    assert answer.status_code == 413
    assert "That is too much at once" in answer.text
    assert "/accounts/login/" not in answer.text


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/api/v1/instruments", FORM),
        ("/mcp", FORM),
        ("/oauth/token", FORM),
        ("/instruments/a/runs/b/put-in/known", "application/json"),
    ],
)
def test_programs_are_answered_in_the_envelope(url, path, kind):
    assert error_of(post(url, size=SMALL_BODY_BYTES, path=path, kind=kind)) == (413, "PAYLOAD_TOO_LARGE")


def test_a_host_that_is_not_served_sees_no_page(url):
    with override_settings(ALLOWED_HOSTS=["lab.example"]):
        answer = post(url, size=SMALL_BODY_BYTES, Host="evil.example")

    assert error_of(answer) == (413, "PAYLOAD_TOO_LARGE")
