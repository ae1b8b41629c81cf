"""Who gets in, and what is refused at the gate."""

import json

import pytest
from oauth2_provider.models import get_access_token_model

from accounts import rate_limits as rates
from tests.factories import make_instrument, make_run, make_token_with_text, make_user
from tests.mcp_server.assistants import Assistant, message, post, request
from tests.mcp_server.oauth_flow import access_token, register
from wire.clock import now

pytestmark = pytest.mark.django_db
PING = message("ping")
LIST = message("tools/list")


def bearer(text: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {text}"}


@pytest.mark.parametrize("path", ["/mcp/v1", "/mcp/v1/", "/mcp", "/mcp/"])
def test_without_credentials_the_answer_says_where_to_get_them(path):
    answer = post(PING, path=path)

    assert (answer.status_code, answer.json()["error"]["data"]["code"]) == (401, "UNAUTHORIZED")
    document = f"http://127.0.0.1:8000/.well-known/oauth-protected-resource{path.rstrip('/')}"
    challenge = answer.headers["WWW-Authenticate"]
    assert challenge == f'Bearer scope="read write", resource_metadata="{document}"'


@pytest.mark.parametrize(
    "header", ["Bearer ids_nonsense", "Bearer x", "Bearer é", "bearer  y ", "Bearer " + "x" * 5000]
)
def test_a_bad_token_is_refused_and_the_challenge_says_so(header):
    answer = post(PING, Authorization=header.encode().decode("latin-1"))

    assert answer.status_code == 401
    assert 'error="invalid_token"' in answer.headers["WWW-Authenticate"]
    assert 'scope="read write"' in answer.headers["WWW-Authenticate"]


@pytest.mark.parametrize("header", ["", "Basic aWRzOg==", "Bearer", "Bearer   "])
def test_anything_else_is_no_credential(header):
    assert post(PING, Authorization=header).status_code == 401


def test_a_token_in_the_query_is_not_read():
    _, text = make_token_with_text()

    assert post(PING, path=f"/mcp/v1?access_token={text}&token={text}").status_code == 401


def test_a_cookie_opens_nothing(as_admin):
    cookie = "; ".join(f"{name}={one.value}" for name, one in as_admin().client.cookies.items())

    assert post(PING, Cookie=cookie).status_code == 401


def test_a_bad_token_never_falls_back_to_a_cookie(as_admin):
    cookie = "; ".join(f"{name}={one.value}" for name, one in as_admin().client.cookies.items())

    assert post(PING, Cookie=cookie, **bearer("ids_nonsense")).status_code == 401


def test_a_token_needs_the_scope_read():
    _, text = make_token_with_text("runs:read", "write")

    answer = post(PING, **bearer(text))

    assert (answer.status_code, answer.json()["error"]["data"]["details"]) == (403, {"scope": "read"})
    assert 'error="insufficient_scope"' in answer.headers["WWW-Authenticate"]


def test_a_client_that_may_not_write_is_told_to_ask_for_both_scopes():
    run = make_run()
    call = message("tools/call", name="claim_run", arguments={"instrument_id": run.instrument_id, "run_id": run.run_id})

    answer = post(call, **bearer(access_token(make_user(), scope="read")))

    assert answer.status_code == 403
    assert 'error="insufficient_scope", scope="read write"' in answer.headers["WWW-Authenticate"]


def test_a_token_that_may_not_write_gets_a_tool_error():
    run = make_run()
    _, text = make_token_with_text("read", "runs:delete")

    error = Assistant(text).refusal("delete_run", instrument_id=run.instrument_id, run_id=run.run_id)

    assert (error["code"], error["details"]) == ("FORBIDDEN", {"scope": "write"})


@pytest.mark.parametrize(
    "resource", [[], ["https://evil.example/mcp"], ["http://127.0.0.1:8000/mcp/v1", "https://evil.example/"]]
)
def test_a_token_for_another_audience_or_none_is_refused(resource):
    text = access_token(make_user())
    get_access_token_model().objects.exclude(user=None).update(resource=resource)

    assert post(PING, **bearer(text)).status_code == 401


def test_a_token_for_either_name_opens_both():
    text = access_token(make_user())

    assert [post(PING, path=path, **bearer(text)).status_code for path in ("/mcp", "/mcp/v1")] == [200, 200]


def test_the_token_that_manages_a_registration_opens_nothing():
    assert post(PING, **bearer(register().json()["registration_access_token"])).status_code == 401


def test_an_oauth_token_does_not_open_rest(client):
    answer = client.get("/api/v1/instruments", headers=bearer(access_token(make_user())))

    assert answer.status_code == 401


def test_a_revoked_token_stops_at_once():
    token, text = make_token_with_text()
    assert post(PING, **bearer(text)).status_code == 200

    token.revoked_at = now()
    token.save()

    assert post(PING, **bearer(text)).status_code == 401


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://127.0.0.1:9999", "http://127.0.0.1:8000.evil.example"]
)
def test_pages_of_other_origins_are_refused(origin):
    _, text = make_token_with_text()

    assert post(PING, Origin=origin, **bearer(text)).status_code == 403


def test_our_own_pages_are_not():
    _, text = make_token_with_text()

    assert post(PING, Origin="http://127.0.0.1:8000", **bearer(text)).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "127.0.0.1@evil.example", ""]
)
def test_other_hosts_are_refused(host):
    _, text = make_token_with_text()

    assert post(PING, Host=host, **bearer(text)).status_code == 421


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "OPTIONS"])
def test_there_are_no_streams_and_no_sessions(method):
    _, text = make_token_with_text()

    answer = request(method, **bearer(text))

    assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_other_media_types_are_refused(kind):
    assert post(PING, Content_Type=kind).status_code == 415


def test_compressed_bodies_are_refused():
    assert post(PING, Content_Encoding="gzip").status_code == 415


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[]",
        json.dumps([PING, PING]).encode(),
        b'"ping"',
        b'{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": "\\u0000"}}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": "\\ud800"}}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": NaN}}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": ' + b"9" * 5000 + b"}}",
        b'{"a":' * 30 + b"1" + b"}" * 30,
        b"[" * 100_000,
        b"{}",
        b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": {}, "method": 7}',
    ],
)
def test_what_is_no_single_message_is_400(body):
    _, text = make_token_with_text()

    assert post(body, **bearer(text)).status_code == 400


def test_a_body_over_the_limit_is_413():
    _, text = make_token_with_text()

    assert post(message("ping", a="x" * 1_100_000), **bearer(text)).status_code == 413


def test_a_caller_that_asks_without_end_has_to_wait(monkeypatch):
    monkeypatch.setattr(rates, "REQUESTS", rates.RateLimit("requests", max_hits=3, seconds=600))
    _, text = make_token_with_text()
    _, other = make_token_with_text()

    found = [post(PING, **bearer(text)).status_code for _ in range(5)]

    assert found[-1] == 429
    assert post(PING, **bearer(other)).status_code == 200


def test_guessing_has_to_wait():
    for _ in range(rates.BAD_CREDENTIALS.max_hits):
        assert post(PING, **bearer("ids_guess")).status_code == 401

    answer = post(PING, **bearer("ids_guess"))

    assert (answer.status_code, int(answer.headers["Retry-After"]) > 0) == (429, True)
    assert post(PING, **bearer(make_token_with_text()[1])).status_code == 200


def test_what_lies_outside_a_tokens_instruments_does_not_exist():
    mine, other = make_instrument(), make_run()
    _, text = make_token_with_text(instrument_ids=[mine.id])
    assistant = Assistant(text)

    assert [row["id"] for row in assistant.answer("list_instruments")["data"]] == [mine.id]
    assert assistant.answer("search_runs", instrument_id=other.instrument_id)["data"] == []
    for tool in ("get_run", "get_run_report", "delete_run"):
        error = assistant.refusal(tool, instrument_id=other.instrument_id, run_id=other.run_id)
        assert error["code"] == "NOT_FOUND", tool


def test_a_token_without_a_use_for_it_sees_no_writing_tools():
    reading = Assistant(make_token_with_text("read", "runs:read")[1]).tools()
    person = Assistant(access_token(make_user())).tools()

    assert reading == {
        *("search_runs", "count_runs", "get_run", "get_history", "list_run_comments", "list_changes"),
        *("list_people", "search", "whoami"),
    }
    assert {"claim_run", "delete_run", "add_run_comment"} <= person
    assert not {"request_upload", "dispatch_notification"} & person  # for API tokens only


def test_a_client_that_only_reads_sees_what_it_could_ask_for():
    reading, writing = (Assistant(access_token(make_user(), scope=scope)).tools() for scope in ("read", "read write"))

    assert reading == writing


def test_no_log_line_holds_the_text_of_a_token(caplog):
    _, text = make_token_with_text()

    Assistant(text).answer("whoami")

    assert text not in caplog.text
