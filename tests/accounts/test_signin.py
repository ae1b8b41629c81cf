"""Local sign-in and sign-out: docs/interface.md, Callers and Limits."""

import pytest
from django.test import Client

from tests.factories import PASSWORD, make_user

LOGIN, LOGOUT = "/accounts/login/", "/accounts/logout/"

pytestmark = pytest.mark.django_db


def sign_in(client, email, password=PASSWORD, **fields):
    return client.post(LOGIN, {"login": email, "password": password, **fields})


def is_signed_in(client):
    return client.get("/").status_code == 200


def test_the_right_password_opens_the_dashboard(client):
    make_user("ines@lab.example")

    response = sign_in(client, "ines@lab.example")

    assert (response.status_code, response["Location"]) == (302, "/")
    assert is_signed_in(client)


def test_the_address_may_be_written_in_capitals(client):
    make_user("ines@lab.example")

    sign_in(client, "Ines@Lab.Example")

    assert is_signed_in(client)


@pytest.mark.parametrize(("email", "password"), [("ines@lab.example", "wrong"), ("nobody@lab.example", PASSWORD)])
def test_a_wrong_password_and_an_unknown_address_read_the_same(client, email, password):
    make_user("ines@lab.example")

    response = sign_in(client, email, password)

    assert "Address or password is wrong." in response.content.decode()
    assert not is_signed_in(client)


def test_the_password_is_never_sent_back(client):
    response = sign_in(client, "nobody@lab.example", "a secret that was mistyped")

    assert "a secret that was mistyped" not in response.content.decode()


def test_a_switched_off_account_stays_out(client):
    make_user("ines@lab.example", is_active=False)

    response = sign_in(client, "ines@lab.example")

    assert response["Location"] == "/accounts/inactive/"
    assert not is_signed_in(client)
    assert "switched off" in client.get("/accounts/inactive/").content.decode()


def test_an_account_without_a_password_cannot_sign_in_with_an_empty_one(client):
    user = make_user("ines@lab.example")
    user.set_unusable_password()
    user.save()

    sign_in(client, "ines@lab.example", "")

    assert not is_signed_in(client)


def test_the_session_id_changes_at_sign_in(client):
    make_user("ines@lab.example")
    client.session["planted"] = True
    client.session.save()
    before = client.session.session_key

    sign_in(client, "ines@lab.example")

    assert client.session.session_key != before


def test_the_session_cookie_is_out_of_reach_of_scripts_and_other_sites(client):
    make_user("ines@lab.example")

    response = sign_in(client, "ines@lab.example")

    cookie = response.cookies["sessionid"]
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")


def test_next_leads_to_the_page_that_was_asked_for(client):
    make_user("ines@lab.example")

    response = sign_in(client, "ines@lab.example", next="/api/docs?x=1")

    assert response["Location"] == "/api/docs?x=1"


@pytest.mark.parametrize(
    "target",
    [
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example",
        "\\\\evil.example",
        "javascript:alert(1)",
        "http://testserver/",
        "http:///evil.example",
    ],
)
def test_next_never_leaves_the_dashboard(client, target):
    make_user("ines@lab.example")

    response = sign_in(client, "ines@lab.example", next=target)

    assert response["Location"] == "/"


def test_sign_out_ends_the_session_on_the_server(client):
    client.force_login(make_user())
    stolen = Client()
    stolen.cookies["sessionid"] = client.cookies["sessionid"].value

    response = client.post(LOGOUT)

    assert response["Location"] == LOGIN
    assert not is_signed_in(stolen)


def test_a_link_to_sign_out_only_asks(client):
    client.force_login(make_user())

    response = client.get(LOGOUT)

    assert "Sign out?" in response.content.decode()
    assert is_signed_in(client)


@pytest.mark.parametrize("path", [LOGIN, LOGOUT])
def test_a_form_from_elsewhere_is_refused(path):
    client = Client(enforce_csrf_checks=True)

    response = client.post(path, {"login": "ines@lab.example", "password": PASSWORD})

    assert response.status_code == 403
    assert "text/html" in response["Content-Type"]


@pytest.mark.parametrize(
    "path",
    [
        "signup/",
        "email/",
        "confirm-email/",
        "password/change/",
        "password/set/",
        "password/reset/",
        "password/reset/done/",
        "password/reset/key/1-set-password/",
        "reauthenticate/",
        "login/code/confirm/",
        "3rdparty/",
        "3rdparty/signup/",
        "",
    ],
)
def test_nothing_else_of_the_sign_in_library_can_be_reached(client, path):
    response = client.get(f"/accounts/{path}")

    assert response.status_code == 404


def test_nul_in_the_form_is_a_refusal(client):
    response = sign_in(client, "ines\x00@lab.example", "\x00")

    assert response.status_code == 400
    assert "NUL characters are not allowed." in response.content.decode()
    assert not is_signed_in(client)
