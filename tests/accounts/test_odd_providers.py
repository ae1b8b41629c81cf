"""Identity providers that stall, say too much or something else: a page says so, in time, and nobody is in."""

import time
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest

from accounts.models import User
from tests.outside import dripping, outside
from wire.outgoing import http_client

pytestmark = pytest.mark.django_db
DISCOVERY, TOKEN, USERINFO, KEYS = "/.well-known/openid-configuration", "/token", "/userinfo", "/keys"
HUGE = b'{"x": "' + b"x" * (2 << 20) + b'"}'
PERSON = {"sub": "1", "email": "ines@lab.example", "email_verified": True}
ODD = [b"<html>", b"[]", b"null", b'"text"', b"7", b"{}", b"", b"\xff\xfe", b"[" * 100_000, HUGE, b'{"a": 1e999}']


@pytest.fixture
def provider(settings):
    with outside() as played:
        settings.OIDC_NAME = "Lab ID"
        app = {"client_id": "ids", "secret": "secret", "name": "Lab ID", "settings": {"server_url": played.url}}
        settings.SOCIALACCOUNT_PROVIDERS = {"oidc": {"APPS": [app]}}
        known = {"authorization": "authorize", "token": "token", "userinfo": "userinfo"}
        told = {f"{name}_endpoint": f"{played.url}/{path}" for name, path in known.items()}
        played.answer(DISCOVERY, {"issuer": played.url, "jwks_uri": f"{played.url}{KEYS}"} | told)
        played.answer(KEYS, {"keys": []})
        played.answer(TOKEN, {"access_token": "a", "token_type": "Bearer"})
        played.answer(USERINFO, PERSON)
        yield played


def come_back(client):
    state = parse_qs(urlsplit(client.get("/accounts/oidc/login/")["Location"]).query)["state"][0]
    return client.get(f"/accounts/oidc/login/callback/?code=c&state={state}")


def assert_told(answer):
    assert answer.status_code in (403, 503), answer.content
    assert "The identity provider did" in answer.content.decode() or "does not answer" in answer.content.decode()
    assert not User.objects.exists()


@pytest.mark.parametrize("body", ODD)
def test_of_where_its_pages_are(client, provider, body):
    provider.answer(DISCOVERY, body)

    assert_told(client.get("/accounts/oidc/login/"))


@pytest.mark.parametrize("told", [{"authorization_endpoint": 7}, {"authorization_endpoint": None}])
def test_of_pages_that_are_no_addresses(client, provider, told):
    provider.answer(DISCOVERY, told)

    assert_told(client.get("/accounts/oidc/login/"))


@pytest.mark.parametrize("path", [TOKEN, USERINFO])
@pytest.mark.parametrize("body", ODD)
def test_of_who_came_back(client, provider, path, body):
    provider.answer(path, body)

    assert_told(come_back(client))


@pytest.mark.parametrize(
    "said",
    [
        {"id_token": "garbage"},
        {"id_token": 7},
        {"id_token": jwt.encode({"sub": "1"}, "k" * 40)},
        {"access_token": [1]},
        {"access_token": None},
        {"expires_in": "soon"},
        {"expires_in": 10**30},
        {"error": "server_error"},
    ],
)
def test_of_tokens_that_are_none(client, provider, said):
    provider.answer(TOKEN, {"access_token": "a", "token_type": "Bearer"} | said)

    answer = come_back(client)

    assert answer.status_code in (302, 403, 503)


@pytest.mark.parametrize("sub", [None, [1], True, "", "x" * 5000, "a\x00b"])
def test_of_somebody_who_is_nobody(client, provider, sub):
    """All whom it does not name would be one person."""
    provider.answer(USERINFO, PERSON | {"sub": sub})

    assert_told(come_back(client))


@pytest.mark.parametrize("email", [None, 7, ["a@b"], "x" * 5000, "a\x00@b.example", "no address"])
def test_of_addresses_that_are_none(client, provider, email):
    provider.answer(USERINFO, PERSON | {"email": email})

    assert come_back(client).status_code == 403
    assert not User.objects.exists()


@pytest.mark.parametrize("said", [{"name": {"a": 1}}, {"picture": "x" * 9000}, {"groups": 7}, {"given_name": [1]}])
def test_what_else_is_odd_of_a_person_is_forgotten(client, provider, said):
    provider.answer(USERINFO, PERSON | said)

    assert come_back(client).status_code == 302
    assert User.objects.get().email == "ines@lab.example"


def test_slowly(client, provider, settings, monkeypatch):
    monkeypatch.setattr(http_client, "CONVERSATION_SECONDS", 0.6)
    began = time.monotonic()

    with dripping(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n{") as drip:
        settings.SOCIALACCOUNT_PROVIDERS["oidc"]["APPS"][0]["settings"]["server_url"] = f"http://127.0.0.1:{drip.port}"
        answer = client.get("/accounts/oidc/login/")

    assert_told(answer)
    assert time.monotonic() - began < 30
