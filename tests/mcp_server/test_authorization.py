"""Consent, codes and tokens: the flow as it should be, and every way it is attacked."""

from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client

from accounts.oauth.connections import find_oauth_caller
from tests.mcp_server.oauth_flow import REDIRECT, RESOURCE, Flow, came_back, signed_in
from wire.clock import now

pytestmark = pytest.mark.django_db


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


def test_every_answer_to_the_client_names_the_issuer_once():
    flow = Flow.begin()
    issuer = Client().get("/.well-known/oauth-authorization-server").json()["issuer"]

    answers = [flow.allow(), flow.allow(tampered={"allow": ""}), flow.page(code_challenge_method="plain")]

    named = [parse_qs(urlsplit(answer.headers["Location"]).query)["iss"] for answer in answers]
    assert named == [[issuer]] * 3


def test_a_person_may_leave_writing_out():
    flow = Flow.begin()
    assert 'value="read">Reading only</button>' in flow.page().content.decode()

    code = came_back(flow.allow(tampered={"allow": "read"}))["code"]

    assert flow.exchange(code).json()["scope"] == "read"


def test_where_only_reading_is_asked_there_is_no_choice():
    assert "Reading only" not in Flow.begin().page(scope="read").content.decode()


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
