"""What is refused before the MCP server hears of it reaches its clients as JSON-RPC errors that say why."""

import json

import pytest
from django.db import OperationalError
from mcp.shared.exceptions import MCPError
from mcp.types import INTERNAL_ERROR, INVALID_REQUEST

from accounts import rate_limits as rates
from mcp_server import auth
from tests.factories import make_token_with_text, make_user
from tests.mcp_server.assistants import Assistant, message, post, request
from tests.mcp_server.oauth_flow import access_token

pytestmark = pytest.mark.django_db
PING = message("ping")


def error_of(assistant, tool="whoami", **arguments):
    """What the official client raises, be it at its connecting or at the call."""
    with pytest.raises((MCPError, ExceptionGroup)) as raised:
        assistant.call(tool, **arguments)
    found = raised.value
    while isinstance(found, ExceptionGroup):
        found = found.exceptions[0]
    assert isinstance(found, MCPError), found
    return found.error


def bearer(text):
    return {"Authorization": f"Bearer {text}"}


def test_a_client_that_has_to_wait_is_told_so(monkeypatch):
    monkeypatch.setattr(rates, "REQUESTS", rates.RateLimit("requests", max_hits=1, seconds=600))

    error = error_of(Assistant(make_token_with_text()[1]))

    assert (error.code, error.message, error.data["code"]) == (INVALID_REQUEST, "Too many requests.", "RATE_LIMITED")
    assert error.data["retry_after"] > 0


def test_a_client_with_a_bad_token_is_told_so():
    error = error_of(Assistant("ids_nonsense"))

    assert (error.message, error.data["code"]) == ("The token is unknown, revoked or expired.", "UNAUTHORIZED")


def test_a_client_without_the_scope_is_told_which():
    error = error_of(Assistant(make_token_with_text("runs:read")[1]))

    assert (error.message, error.data["details"]) == ("The scope read is needed.", {"scope": "read"})


def test_a_client_that_sends_control_characters_is_told_so():
    _, text = make_token_with_text("read", "runs:read")

    error = error_of(Assistant(text), "search", q="a\x00b")

    assert (error.code, error.data["code"]) == (INVALID_REQUEST, "VALIDATION_ERROR")
    assert error.message != "Server returned an error response"


def test_a_client_that_sends_too_much_is_told_how_much_it_may():
    _, text = make_token_with_text("read", "runs:read")

    error = error_of(Assistant(text), "search", q="x" * 1_100_000)

    assert (error.data["code"], error.data["details"]["limit"]) == ("PAYLOAD_TOO_LARGE", 1_048_576)


def test_a_client_is_told_that_the_database_is_away(monkeypatch):
    def fail(text):
        raise OperationalError("the connection is lost")

    _, text = make_token_with_text()
    monkeypatch.setattr(auth, "find_caller", fail)

    error = error_of(Assistant(text))

    assert (error.code, error.data["code"]) == (INTERNAL_ERROR, "SERVICE_UNAVAILABLE")
    assert "connection is lost" not in error.message


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (PING, 1),
        ({**PING, "id": "seven"}, "seven"),
        ({"jsonrpc": "2.0", "method": "ping"}, None),
        ({**PING, "id": {}}, None),
        ({**PING, "id": True}, None),
        ([PING], None),
        (b"{", None),
        (b'{"jsonrpc": "2.0", "id": ' + b"9" * 5000 + b"}", None),
        (b"[" * 60_000, None),
        (b'{"jsonrpc": "2.0", "id": "\\ud800", "method": "ping"}', None),
    ],
)
def test_a_refusal_names_the_request_that_it_answers(body, told):
    answer = post(body)

    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"].startswith("Bearer ")
    assert (answer.json()["jsonrpc"], answer.json()["id"]) == ("2.0", told)


def test_the_step_up_keeps_its_status_and_challenge():
    call = message("tools/call", name="tag_run", arguments={})

    answer = post(call, **bearer(access_token(make_user(), scope="read")))

    assert (answer.status_code, answer.json()["error"]["data"]["details"]) == (403, {"scope": "write"})
    assert 'error="insufficient_scope"' in answer.headers["WWW-Authenticate"]


@pytest.mark.parametrize(
    ("method", "headers", "code"),
    [("GET", {}, "METHOD_NOT_ALLOWED"), ("POST", {"Content_Type": "text/plain"}, "UNSUPPORTED_MEDIA_TYPE")],
)
def test_what_is_no_message_is_answered_in_the_envelope(method, headers, code):
    _, text = make_token_with_text()

    answer = request(method, json.dumps(PING).encode(), **bearer(text), **headers)

    assert answer.json()["error"]["code"] == code
