"""Clients register themselves: what the well-known ones send is taken, what is dangerous is not."""

import pytest
from django.test import Client
from oauth2_provider.models import get_access_token_model, get_application_model

from accounts import rate_limits as rates
from accounts.oauth.clients import narrow_grants
from tests.factories import make_user
from tests.mcp_server.oauth_flow import METADATA, REDIRECT, Flow, register, signed_in

pytestmark = pytest.mark.django_db
GRANTS = ["authorization_code", "refresh_token"]
DEVICE = "urn:ietf:params:oauth:grant-type:device_code"
JWT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
PUBLISHED = {
    "Claude": {
        "client_name": "Claude",
        "redirect_uris": ["https://claude.ai/api/mcp/auth_callback"],
        "grant_types": GRANTS,
        "response_types": ["code"],
        "token_endpoint_auth_method": "client_secret_post",
        "scope": "read write",
    },
    "Claude Code": {
        "client_name": "Claude Code (ids)",
        "application_type": "native",
        "redirect_uris": ["http://localhost:3118/callback"],
        "grant_types": GRANTS,
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    },
    "Cursor": {
        "client_name": "Cursor",
        "redirect_uris": [
            "cursor://anysphere.cursor-mcp/oauth/callback",
            "https://www.cursor.com/agents/mcp/oauth/callback",
            "http://localhost:8787/callback",
        ],
        "grant_types": GRANTS,
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    },
    "VS Code": {
        "client_name": "Visual Studio Code",
        "client_uri": "https://code.visualstudio.com",
        "application_type": "native",
        "redirect_uris": [
            "https://insiders.vscode.dev/redirect",
            "https://vscode.dev/redirect",
            "http://127.0.0.1/",
            "http://127.0.0.1:33418/",
        ],
        "grant_types": [*GRANTS, DEVICE],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    },
    "ChatGPT": {
        "client_name": "ChatGPT",
        "redirect_uris": [
            "https://chatgpt.com/connector/oauth/OUbdUMlL15Ct",
            "https://chatgpt.com/connector_platform_oauth_redirect",
        ],
        "grant_types": [*GRANTS, JWT],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    },
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_well_known_clients_register_and_may_ask(name):
    metadata = PUBLISHED[name]

    answer = register(**metadata)

    assert answer.status_code == 201, answer.content
    said = answer.json()
    assert said["grant_types"] == GRANTS
    assert said["redirect_uris"] == metadata["redirect_uris"]
    flow = Flow(make_user(), said["client_id"])
    for redirect in metadata["redirect_uris"]:
        assert flow.page(redirect_uri=redirect).status_code == 200, redirect


@pytest.mark.parametrize(
    "changed",
    [
        {"redirect_uris": []},
        {"redirect_uris": "https://a.example/cb"},
        {"redirect_uris": ["http://evil.example/cb"]},
        {"redirect_uris": ["https://a.example/cb#x"]},
        {"redirect_uris": ["https://user@a.example/cb"]},
        {"redirect_uris": ["javascript://a.example/%0aalert(1)"]},
        {"redirect_uris": ["data:text/html,x"]},
        {"redirect_uris": ["https://a.example/c b"]},
        {"redirect_uris": ["https://[::1"]},
        {"redirect_uris": ["https://a.example/cb"] * 21},
        {"client_name": "x" * 101},
        {"client_name": "Claude\u202eedualC"},
        {"client_name": 7},
        {"grant_types": ["client_credentials"]},
        {"grant_types": "authorization_code"},
        {"response_types": ["token"]},
        {"token_endpoint_auth_method": "private_key_jwt"},
    ],
)
def test_dangerous_registrations_are_refused(changed):
    answer = register(**changed)

    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_client_metadata")
    assert not get_application_model().objects.exists()


@pytest.mark.parametrize("body", [b"{", b"[]", b'{"a": "\\u0000"}', b'{"a":' * 50 + b"1" + b"}" * 50, b"\xff"])
def test_a_registration_that_cannot_be_read_is_refused(body):
    answer = Client().post("/oauth/register", body, content_type="application/json")

    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_client_metadata")


def test_registrations_from_one_address_are_few():
    for _ in range(rates.REGISTRATIONS.max_hits):
        Client().post("/oauth/register", b"{", content_type="application/json")

    answer = register()

    assert answer.status_code == 429
    assert int(answer.headers["Retry-After"]) > 0


def test_a_cookie_makes_no_difference_to_a_registration():
    browser = signed_in(make_user())

    answer = browser.post("/oauth/register", METADATA, content_type="application/json")

    assert answer.status_code == 201
    assert get_application_model().objects.get().user is None


def test_the_token_that_manages_a_registration_ends_and_opens_nothing_else():
    said = register().json()

    kept = get_access_token_model().objects.get()

    assert (kept.token, kept.resource) == ("", [])
    assert (kept.expires - kept.created).days in (29, 30)
    assert said["registration_client_uri"].startswith("http://")


def test_a_changed_registration_is_narrowed_too():
    said = register().json()
    bearer = {"Authorization": f"Bearer {said['registration_access_token']}"}
    place = f"/oauth/register/{said['client_id']}"

    refused = Client().put(
        place, METADATA | {"redirect_uris": ["http://evil.example/"]}, content_type="application/json", headers=bearer
    )
    taken = Client().put(
        place, METADATA | {"grant_types": [*GRANTS, JWT]}, content_type="application/json", headers=bearer
    )

    assert (refused.status_code, taken.status_code, taken.json()["grant_types"]) == (400, 200, GRANTS)


def test_narrowing_keeps_what_a_client_says_of_itself():
    assert (
        narrow_grants({"redirect_uris": [REDIRECT], "client_uri": "https://a.example"})["client_uri"]
        == "https://a.example"
    )
