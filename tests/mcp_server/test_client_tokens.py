"""What an AI client's codes and tokens are worth, and how they end."""

import json
from datetime import timedelta
from io import BytesIO

import pytest
from django.test import Client
from oauth2_provider.models import get_access_token_model, get_application_model, get_refresh_token_model
from urllib3 import HTTPResponse

from accounts.oauth.connections import delete_idle_clients
from tests.factories import make_user
from tests.mcp_server.oauth_flow import REDIRECT, Flow, client_id, opens, register, signed_in
from wire.clock import now

pytestmark = pytest.mark.django_db


def test_a_code_works_once():
    flow = Flow.begin()
    code = flow.code()
    flow.exchange(code)

    again = flow.exchange(code)

    assert (again.status_code, again.json()["error"]) == (400, "invalid_grant")


@pytest.mark.parametrize(
    "changed",
    [
        {"code_verifier": "w" * 64},
        {"code_verifier": ""},
        {"redirect_uri": "https://assistant.example.com/other"},
        {"resource": "https://evil.example/mcp"},
    ],
)
def test_a_stolen_code_is_worth_nothing(changed):
    flow = Flow.begin()

    answer = flow.exchange(flow.code(), **changed)

    assert answer.status_code == 400
    assert "access_token" not in answer.json()


@pytest.mark.parametrize("redirects", [[REDIRECT], [REDIRECT, "https://assistant.example.com/other"]])
def test_who_exchanges_a_code_need_not_say_where_it_came_to(redirects):
    flow = Flow.begin(redirect_uris=redirects)

    answers = [flow.exchange(flow.code(), redirect_uri=said) for said in (None, *redirects[1:])]

    assert [answer.status_code for answer in answers] == [200, 400][: len(answers)]
    assert opens(answers[0].json()["access_token"])


def test_a_code_of_one_client_is_worth_nothing_to_another():
    flow = Flow.begin()

    answer = flow.exchange(flow.code(), client_id=client_id())

    assert answer.json()["error"] == "invalid_grant"


def test_refreshing_rotates_and_ends_the_old_pair():
    flow = Flow.begin()
    first = flow.tokens()

    second = flow.refresh(first["refresh_token"]).json()

    assert [opens(first["access_token"]), opens(second["access_token"])] == [False, True]
    assert second["refresh_token"] != first["refresh_token"]


def test_a_replayed_refresh_token_ends_the_whole_family(security_events):
    flow = Flow.begin()
    first = flow.tokens()
    second = flow.refresh(first["refresh_token"]).json()
    get_refresh_token_model().objects.filter(revoked__isnull=False).update(revoked=now() - timedelta(minutes=1))

    replay = flow.refresh(first["refresh_token"])

    assert replay.json()["error"] == "invalid_grant"
    assert not opens(second["access_token"])
    assert flow.refresh(second["refresh_token"]).status_code == 400
    assert security_events() == ["replayed_refresh_token"]


def test_refreshing_never_widens():
    flow = Flow.begin()
    tokens = flow.tokens(scope="read")

    assert flow.refresh(tokens["refresh_token"], scope="read write").json()["error"] == "invalid_scope"
    assert flow.refresh(tokens["refresh_token"], resource="https://evil.example/").json()["error"] == "invalid_target"


def test_whoever_may_not_sign_in_any_more_has_no_clients_either():
    flow = Flow.begin()
    tokens, code = flow.tokens(), flow.code()
    flow.user.is_active = False
    flow.user.save()

    assert not opens(tokens["access_token"])
    assert flow.refresh(tokens["refresh_token"]).status_code == 400
    assert flow.exchange(code).status_code == 400


@pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
def test_a_revoked_token_ends_its_pair(kind):
    flow = Flow.begin()
    tokens = flow.tokens()

    answer = Client().post("/oauth/revoke", {"token": tokens[kind], "client_id": flow.client_id})

    assert answer.status_code == 200
    assert not opens(tokens["access_token"])
    assert flow.refresh(tokens["refresh_token"]).status_code == 400


def test_tokens_are_kept_as_digests_only():
    Flow.begin().tokens()

    assert set(get_access_token_model().objects.values_list("token", flat=True)) == {""}
    assert set(get_refresh_token_model().objects.values_list("token", flat=True)) == {""}


@pytest.mark.parametrize(
    "grant_type", ["password", "client_credentials", "urn:ietf:params:oauth:grant-type:device_code"]
)
def test_no_other_grant_is_served(grant_type):
    said = register(token_endpoint_auth_method="client_secret_basic").json()
    asked = {"grant_type": grant_type, "client_id": said["client_id"], "client_secret": said["client_secret"]}

    answer = Client().post(
        "/oauth/token", asked | {"username": "a", "password": "b", "device_code": "c", "scope": "read"}
    )

    assert answer.status_code in (400, 401, 404)
    assert b"access_token" not in answer.content


@pytest.mark.parametrize(
    "address",
    [
        "https://127.0.0.1/client.json",
        "https://localhost/client.json",
        "https://[::1]/client.json",
        "https://[::ffff:10.0.0.1]/client.json",
        "https://169.254.169.254/latest/meta-data",
        "https://10.0.0.8/client.json",
        "https://user@1.1.1.1/client.json",
        "https://1.1.1.1/a/../client.json",
        "http://1.1.1.1/client.json",
    ],
)
def test_a_clients_document_is_never_fetched_from_inside(address, monkeypatch):
    asked = []
    monkeypatch.setattr("socket.create_connection", lambda *place, **options: asked.append(place))

    answer = Flow(make_user(), address).page()

    assert (answer.status_code, asked) == (400, [])


def test_a_client_may_be_known_by_its_document(monkeypatch):
    address = "https://assistant.example.com/client.json"
    document = {
        "client_id": address,
        "client_name": "Documented",
        "redirect_uris": [REDIRECT],
        "grant_types": ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
    }
    monkeypatch.setattr("accounts.oauth.clients.fetch_document", lambda asked: as_fetched(document))

    page = Flow(make_user(), address).page()

    assert "Documented" in page.content.decode()


def test_a_person_sees_and_ends_what_acts_for_them():
    flow, other = Flow.begin(), Flow.begin(client_name="Somebody else's")
    tokens, kept = flow.tokens(), other.tokens()
    browser = signed_in(flow.user)

    page = browser.get("/settings/ai-clients").content.decode()
    secret = browser.cookies["csrftoken"].value
    done = browser.post("/settings/ai-clients", {"client_id": flow.client_id, "csrfmiddlewaretoken": secret})

    assert ("Bench Assistant" in page, "Somebody" in page) == (True, False)
    assert done.status_code == 302
    assert [opens(tokens["access_token"]), opens(kept["access_token"])] == [False, True]
    assert flow.refresh(tokens["refresh_token"]).status_code == 400


def test_clients_that_hold_nothing_are_forgotten():
    used = Flow.begin()
    used.tokens()
    client_id(client_name="Idle")
    get_application_model().objects.update(created=now() - timedelta(days=40))
    get_access_token_model().objects.filter(user=None).update(expires=now() - timedelta(days=1))

    delete_idle_clients(at=now())

    assert list(get_application_model().objects.values_list("client_id", flat=True)) == [used.client_id]


def as_fetched(document):
    return HTTPResponse(
        BytesIO(json.dumps(document).encode()), {"Content-Type": "application/json"}, 200, preload_content=False
    )
