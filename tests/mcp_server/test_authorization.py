"""Consent, codes and tokens: the flow as it should be, and every way it is attacked."""

from datetime import timedelta

import pytest
from django.test import Client
from oauth2_provider import cimd
from oauth2_provider.models import get_access_token_model, get_application_model, get_refresh_token_model

from accounts.oauth import find_oauth_caller, forget_idle_clients
from tests.factories import make_user
from tests.mcp_server.oauth_flow import REDIRECT, RESOURCE, Flow, came_back, client_id, register, signed_in
from wire.clock import now

pytestmark = pytest.mark.django_db


def opens(access_token: str) -> bool:
    return find_oauth_caller(access_token, at=now()) is not None


def test_a_person_lets_a_client_act_for_them():
    flow = Flow.begin()

    tokens = flow.tokens(scope="read")

    caller = find_oauth_caller(tokens["access_token"], at=now())
    assert (caller.user, caller.client.name, tokens["expires_in"]) == (flow.user, "Bench Assistant", 3600)
    assert {"read", "runs:read", "files:read"} <= set(caller.scopes)
    assert not {"write", "runs:delete"} & set(caller.scopes)


def test_the_consent_page_says_who_asks_for_what_and_where_it_leads():
    flow = Flow.begin(client_name="<b>Bench</b>")

    page = flow.page(scope="read")

    text = page.content.decode()
    assert "&lt;b&gt;Bench&lt;/b&gt;" in text
    assert "assistant.example.com" in text
    assert flow.user.email in text
    assert ("<code>read</code>" in text, "<code>write</code>" in text) == (True, False)


def test_the_consent_page_cannot_be_framed_and_leads_to_the_client_only():
    policy = Flow.begin().page().headers["Content-Security-Policy"]

    assert "frame-ancestors 'none'" in policy
    assert "form-action 'self' https://assistant.example.com;" in policy + ";"


def test_consent_needs_the_form_of_our_page():
    flow = Flow.begin()

    answer = signed_in(flow.user).post("/oauth/authorize", flow.asked() | {"allow": "true"})

    assert answer.status_code == 403


def test_consent_is_asked_again_however_the_request_puts_it():
    flow = Flow.begin()
    flow.tokens()

    assert flow.page(approval_prompt="auto").status_code == 200


def test_strangers_sign_in_first():
    flow = Flow.begin()

    answer = Client().get("/oauth/authorize", flow.asked())

    assert answer.headers["Location"].startswith("/accounts/login/?next=/oauth/authorize")


def test_whoever_denies_sends_the_client_away():
    flow = Flow.begin()

    answer = flow.allow(tampered={"allow": ""})

    assert came_back(answer) == {"error": "access_denied", "state": "s7"} | came_back(answer)
    assert "code" not in came_back(answer)


def test_the_answer_names_its_issuer():
    assert came_back(Flow.begin().allow())["iss"] == "http://127.0.0.1:8000"


def test_unknown_scopes_are_left_out_and_read_is_always_there():
    assert Flow.begin().tokens(scope="claudeai offline_access")["scope"] == "read"
    assert Flow.begin().tokens(scope="write")["scope"] == "read write"


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge_method": None}, "invalid_request"),
        ({"code_challenge": None, "code_challenge_method": None}, "invalid_request"),
        ({"resource": "https://evil.example/mcp"}, "invalid_target"),
        ({"resource": None}, "invalid_target"),
        ({"resource": [RESOURCE, "https://evil.example/mcp"]}, "invalid_target"),
        ({"resource": RESOURCE + "/tools"}, "invalid_target"),
        ({"response_type": "token"}, "unauthorized_client"),
    ],
)
def test_unsafe_requests_are_sent_back_with_the_reason(changed, error):
    answer = Flow.begin().page(**changed)

    assert answer.status_code == 302, answer.content
    assert answer.headers["Location"].startswith(REDIRECT)
    assert came_back(answer)["error"] == error
    assert came_back(answer)["state"] == "s7"


@pytest.mark.parametrize(
    "redirect",
    [
        "https://assistant.example.com/callback/",
        "https://assistant.example.com/callback?x=1",
        "https://assistant.example.com/Callback",
        "https://assistant.example.com:8443/callback",
        "https://ASSISTANT.example.com/callback",
        "http://assistant.example.com/callback",
        "https://assistant.example.com.evil.example/callback",
        "https://evil@assistant.example.com/callback",
        "https://assistant.example.com/callback#x",
        "https://assistant.example.com/callback/../evil",
    ],
)
def test_a_redirect_that_is_not_exactly_registered_is_never_followed(redirect):
    answer = Flow.begin().page(redirect_uri=redirect)

    assert answer.status_code == 400
    assert "Location" not in answer.headers


def test_on_the_persons_own_machine_any_port_will_do():
    flow = Flow.begin(redirect_uris=["http://127.0.0.1:33418/cb", "http://localhost/cb"])

    assert flow.page(redirect_uri="http://127.0.0.1:50123/cb").status_code == 200
    assert flow.page(redirect_uri="http://localhost:50123/cb").status_code == 200
    assert flow.page(redirect_uri="http://127.0.0.1:50123/other").status_code == 400
    assert flow.page(redirect_uri="http://evil.example:33418/cb").status_code == 400


@pytest.mark.parametrize(
    "tampered",
    [
        {"resource": "https://evil.example/mcp"},
        {"resource": ""},
        {"code_challenge_method": "plain"},
        {"redirect_uri": "https://evil.example/"},
    ],
)
def test_a_tampered_consent_makes_no_code(tampered):
    answer = Flow.begin().allow(tampered=tampered)

    assert "code=" not in answer.headers.get("Location", "")
    assert "evil.example" not in answer.headers.get("Location", "")


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


def test_a_replayed_refresh_token_ends_the_whole_family():
    flow = Flow.begin()
    first = flow.tokens()
    second = flow.refresh(first["refresh_token"]).json()

    replay = flow.refresh(first["refresh_token"])

    assert replay.json()["error"] == "invalid_grant"
    assert not opens(second["access_token"])
    assert flow.refresh(second["refresh_token"]).status_code == 400


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
    monkeypatch.setattr(cimd.urllib3, "HTTPSConnectionPool", lambda **pool: asked.append(pool))

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
    monkeypatch.setattr(cimd.SafeMetadataFetcher, "fetch", lambda self, client: (document, 300))

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

    forget_idle_clients(at=now())

    assert list(get_application_model().objects.values_list("client_id", flat=True)) == [used.client_id]
