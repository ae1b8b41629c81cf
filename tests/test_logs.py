"""Every request leaves one line that says who, what and how long; no line holds a secret."""

import json
import logging
import re
from io import StringIO
from urllib.parse import parse_qs, urlsplit

import pytest
import structlog
from django.test import Client

from accounts.sign_in.first_admin import make_first_link
from accounts.token_texts import generate_token_text
from tests.clients import Api
from tests.factories import PASSWORD, make_stored_file, make_token_with_text, make_user, make_watcher
from tests.mcp_server.assistants import Assistant
from tests.mcp_server.oauth_flow import Flow
from web.routes import all_routes
from web.telemetry.logs import mask_secrets
from wire.clock import now

pytestmark = pytest.mark.django_db
NIL = "00000000-0000-4000-8000-000000000000"
CHAT, TRACKER = "xoxb-2718281828-secret", "ghp_314159265358979323846264338327950288"
PARAMETER = re.compile(r"<(\w+:)?\w+>")
FILLED = {"id:": NIL, "file_id:": "1", "slug_id:": "some-instrument"}


class Lines:
    """What the service wrote, as it would stand in its log."""

    def __init__(self):
        logging.getLogger("ids.requests").setLevel("DEBUG")  # what machines ask without end, too
        (ours,) = [
            handler
            for handler in logging.getLogger().handlers
            if isinstance(handler.formatter, structlog.stdlib.ProcessorFormatter)
        ]
        self.stream = StringIO()
        self.handler = logging.StreamHandler(self.stream)
        self.handler.setFormatter(ours.formatter)

    @property
    def text(self):
        return self.stream.getvalue()

    @property
    def requests(self):
        lines = [json.loads(line) for line in self.text.splitlines()]
        return [line for line in lines if line["logger"] == "ids.requests"]


@pytest.fixture
def lines():
    found = Lines()
    logging.getLogger().addHandler(found.handler)
    yield found
    logging.getLogger().removeHandler(found.handler)
    logging.getLogger("ids.requests").setLevel("NOTSET")


def filled(pattern, secret):
    return "/" + PARAMETER.sub(lambda found: FILLED.get(found[1], secret), pattern.replace("\\Z", "").strip("^$"))


@pytest.mark.slow
def test_no_route_writes_a_secret_that_it_is_given(lines):
    user, secret = make_user(is_admin=True), generate_token_text()
    browser = Api(user=user)
    script = Api(text=make_token_with_text()[1])
    body = {"token": secret, "name": secret, "password": PASSWORD, "secret": CHAT, "run_id": secret, "body": secret}
    query, asked = f"?token={secret}&access_token={secret}&search={secret}&code={secret}&state={secret}", 0

    for pattern, _ in all_routes():
        if pattern.startswith("admin/") and not pattern.startswith("admin/accounts/token/"):
            continue  # the site's own, the same for every table
        for api, method in ((browser, "GET"), (browser, "POST"), (script, "PUT"), (Api(text=secret), "GET")):
            if "logout" not in pattern:
                api.send(method, filled(pattern, secret) + query, body, X_Request_ID=secret, Referer=query)
                asked += 1

    session = browser.client.cookies["sessionid"].value
    assert [word for word in (secret, script.text, session, PASSWORD, CHAT, "c" * 32) if word in lines.text] == []
    assert len(lines.requests) == asked > 300


def test_secrets_that_the_service_makes_are_not_written(lines, settings):
    user, file, reader = make_user(is_admin=True), make_stored_file(), Api(text=make_token_with_text()[1])
    link = make_first_link(at=now()) or ""
    Client().get(link)
    made = Api(user=user).post("/api/v1/tokens", {"name": "new", "scopes": ["read"]}).json()["token"]
    url = reader.get(f"/api/v1/files/{file.pk}/download", Accept="application/json").json()["download_url"]
    flow = Flow.begin()
    code = flow.code()
    tokens = flow.exchange(code).json()
    renewed = flow.refresh(tokens["refresh_token"]).json()
    Assistant(renewed["access_token"]).answer("whoami")
    flow.exchange(code)
    Client().post("/accounts/login/", {"login": user.email, "password": PASSWORD})

    (signature,) = parse_qs(urlsplit(url).query)["signature"]
    secrets = [
        made,
        signature,
        code,
        PASSWORD,
        link,
        *(bag[f"{kind}_token"] for bag in (tokens, renewed) for kind in ("access", "refresh")),
    ]
    assert [word for word in secrets if word and word in lines.text] == []
    assert len(lines.requests) > 8


def test_keys_of_other_services_are_not_written(lines, as_admin):
    api = as_admin()
    wanted = {"chat": {"base_url": "https://127.0.0.1:9/", "token": CHAT}}
    wanted["tracker"] = {"base_url": "https://127.0.0.1:9", "repository": "lab/data", "token": TRACKER}

    assert api.put("/api/v1/settings/integrations", wanted).status_code == 200
    api.post("/api/v1/settings/integrations/chat/test")
    api.post("/api/v1/settings/integrations/tracker/test")

    assert CHAT not in lines.text
    assert TRACKER not in lines.text


def test_a_crash_tells_its_reason_without_the_secrets_in_it(lines, as_token, monkeypatch):
    api = as_token("instruments:read")

    def crash(**_):
        raise RuntimeError(f"Bearer {api.text} at https://store.example/x?a=1&signature=c2VjcmV0 ({CHAT})")

    monkeypatch.setattr("instruments.catalogue.list_instruments", crash)

    assert api.get("/api/v1/instruments").status_code == 500
    assert "RuntimeError: Bearer [secret] at https://store.example/x?a=1&signature=[secret]" in lines.text
    assert [word for word in (api.text, "c2VjcmV0", CHAT) if word in lines.text] == []


def test_a_line_says_who_asked_what_and_how_long_it_took(lines, as_token):
    api = as_token("instruments:read")

    api.get("/api/v1/instruments/one?search=x", X_Request_ID="from-the-caller")

    (line,) = lines.requests
    assert line.pop("ms") >= 0
    assert {name: line[name] for name in ("request_id", "principal", "method", "route", "status")} == {
        "request_id": "from-the-caller",
        "principal": f"token:{api.token.pk}",
        "method": "GET",
        "route": "api/v1/instruments/<slug_id:instrument_id>",
        "status": 404,
    }


def test_a_page_names_the_person_and_an_assistant_too(lines, as_person):
    browser, flow = as_person(), Flow.begin()
    token = flow.tokens()["access_token"]
    before = len(lines.requests)

    browser.get("/runs")
    Assistant(token).answer("whoami")

    principals = [line["principal"] for line in lines.requests[before:] if line["principal"]]
    assert set(principals) == {f"person:{browser.user.pk}", f"person:{flow.user.pk}"}


def test_a_token_is_no_request_id(anonymous):
    secret = generate_token_text()

    assert secret not in anonymous.get("/livez", X_Request_ID=secret)["X-Request-ID"]


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ('{"event": "Bearer abcdefgh.ijk"}', '{"event": "Bearer [secret]"}'),
        ('"https://s3/x?X-Amz-Signature=0a1b2c&y=1"', '"https://s3/x?X-Amz-Signature=[secret]&y=1"'),
        ('"github_pat_11AA"', '"[secret]"'),
        ('"ghp_1"', '"[secret]"'),
        ('"xoxb-1"', '"[secret]"'),
        ('"bearer abcdefgh"', '"bearer [secret]"'),
        ('"?signature=ab"', '"?signature=[secret]"'),
        ('"sessionid=1"', '"sessionid=[secret]"'),
        ('"ghp_1", "?signature=ab"', '"[secret]", "?signature=[secret]"'),
        ('"ids_abcdefghijklmnopqrstuvwx"', '"[secret]"'),
        ('"ids.requests", "ids_owner"', '"ids.requests", "ids_owner"'),
    ],
)
def test_what_looks_like_a_secret_is_masked(line, shown):
    assert mask_secrets(None, "", line) == shown


@pytest.mark.parametrize("path", ["/livez", "/readyz", "/metrics"])
def test_what_machines_ask_without_end_is_no_line(caplog, client, path):
    caplog.set_level("INFO")

    client.get(path)

    assert [record for record in caplog.records if record.name == "ids.requests"] == []


def test_a_heartbeat_is_no_line_but_a_refused_one_is(lines, as_token):
    logging.getLogger("ids.requests").setLevel("INFO")
    api = as_token("watchers:report")
    path = f"/api/v1/watchers/{make_watcher(token=api.token).pk}/heartbeat"

    answers = [api.post(path, {"status": status}) for status in ("watching", "dancing")]

    assert [answer.status_code for answer in answers] == [200, 400], [answer.content for answer in answers]
    assert [line["status"] for line in lines.requests] == [400], lines.text


def test_no_line_has_colours(lines):
    logging.getLogger("uvicorn.error").warning("Started", extra={"color_message": "\x1b[36mStarted\x1b[0m", "port": 1})

    (line,) = [json.loads(line) for line in lines.text.splitlines()]
    assert (line["event"], line["port"], "color_message" in line) == ("Started", 1, False)
