"""No page, form, protocol endpoint or page of the admin site answers 5xx, whatever it is sent.

The routes are those of the service, the forms those of its pages, the values tests/web/hostile_requests.py's.
"""

import re

import pytest
from django.contrib import admin
from django.db import transaction
from django.test import Client

from tests.factories import make_comment, make_file, make_run, make_stored_file, make_token, make_user, make_watcher
from tests.mcp_server.oauth_flow import Flow
from tests.web.hostile_requests import (
    ADMIN_PARAMETERS,
    COMMON_PARAMETERS,
    HOSTILE_VALUES,
    Form,
    FormFinder,
    HostileRequest,
    list_hostile_gets,
    list_hostile_paths,
    list_hostile_posts,
    submit_form,
)
from web.routes import all_routes, is_rest

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
PARAMETER = re.compile(r"<(?:\w+:)?\w+>")
BACKEND = "allauth.account.auth_backends.AuthenticationBackend"
PAGES = sorted(
    path for path, view in all_routes() if not is_rest(view) and not path.startswith(("admin/", "api/v1", "oauth"))
)
ADMIN_LISTS = [f"/admin/{model._meta.app_label}/{model._meta.model_name}/" for model in admin.site._registry]


class Prober:
    """Sends each request as one browser, in a savepoint that is rolled back: each finds what the first one found."""

    def __init__(self, user=None):
        self.client = Client(raise_request_exception=False, enforce_csrf_checks=False)
        if user:
            self.client.force_login(user, backend=BACKEND)
        self.cookies = {name: morsel.value for name, morsel in self.client.cookies.items()}
        self.failures = []
        self.sent = 0

    def send(self, request: HostileRequest):
        self.client.cookies.load(self.cookies)
        savepoint = transaction.savepoint()
        answer = self.client.generic(
            request.method, request.path, request.body, request.content_type, headers=request.headers
        )
        content = answer.getvalue()
        transaction.savepoint_rollback(savepoint)
        self.sent += 1
        if answer.status_code >= 500:
            self.failures.append(f"{answer.status_code}: {request}")
        return answer.status_code, content

    def send_all(self, requests):
        for request in requests:
            self.send(request)

    def find_forms(self, path):
        status, content = self.send(HostileRequest("GET", path))
        return FormFinder(content.decode(), path=path).forms if status == 200 and b"<form" in content else []

    def fill_in_forms(self, path, *, count):
        for form in self.find_forms(path):
            self.send_all(list_hostile_posts(form, count=count))

    def fill_in(self, form, name, text):
        status, content = self.send(submit_form(form, [*form.press_after(name), (name, text)]))
        return status, content.decode()


@pytest.fixture
def existing():
    """What path parameters lead to."""
    admin_person, run = make_user(is_admin=True), make_run()
    make_stored_file(run=run)
    make_file(run=run)
    comment, watcher = make_comment(run=run, user=admin_person), make_watcher(instrument=run.instrument)
    make_token(created_by=admin_person)
    found = {"instrument_id": run.instrument_id, "run_id": run.run_id, "comment_id": comment.pk}
    return admin_person, {**found, "watcher_id": watcher.pk, "kind": "chat"}


def parts_of(pattern, known):
    """["/instruments/", "cary-60", "/edit"]: every second one is a parameter."""
    parts = ["/"]
    for piece in re.split(f"({PARAMETER.pattern})", pattern):
        if PARAMETER.fullmatch(piece):
            name = piece.strip("<>").rpartition(":")[2]
            parts += [str(known.get(name, "00000000-0000-4000-8000-000000000000")), ""]
        else:
            parts[-1] += piece
    return parts


@pytest.mark.parametrize("pattern", PAGES, ids=lambda pattern: pattern or "home")
def test_no_page_and_none_of_its_forms_is_a_server_error(existing, pattern):
    person, known = existing
    parts = parts_of(pattern, known)
    signed_in, stranger = Prober(person), Prober()

    signed_in.send_all(list_hostile_gets("".join(parts), COMMON_PARAMETERS, count=6))
    signed_in.send_all(list_hostile_paths(parts, count=4))
    signed_in.fill_in_forms("".join(parts), count=4)
    stranger.fill_in_forms("".join(parts), count=4)

    assert signed_in.failures + stranger.failures == []


@pytest.mark.parametrize("pattern", PAGES, ids=lambda pattern: pattern or "home")
def test_a_control_character_in_a_form_loses_nothing_that_was_typed(existing, pattern):
    prober, typed = Prober(existing[0]), "kept\x1bhere"

    lost = [
        (form.action, name, status)
        for form in prober.find_forms("".join(parts_of(pattern, existing[1])))
        if form.method == "POST"
        for name in sorted(form.texts)
        for status, content in [prober.fill_in(form, name, typed)]
        if status not in (200, 400) or typed not in content
    ]

    assert lost == []


@pytest.mark.parametrize("path", ADMIN_LISTS)
def test_no_list_row_or_form_of_the_admin_site_is_a_server_error(existing, path):
    signed_in = Prober(existing[0])

    signed_in.send_all(list_hostile_gets(path, ADMIN_PARAMETERS, count=8))
    signed_in.send_all(list_hostile_paths([path, "", "/change/"], count=2))
    signed_in.fill_in_forms(path, count=1)
    signed_in.fill_in_forms(f"{path}add/", count=2)

    assert signed_in.failures == []


@pytest.mark.parametrize("path", ["/admin/", "/admin/login/", "/admin/password_change/", "/admin/autocomplete/"])
def test_nothing_else_of_the_admin_site_is_a_server_error(existing, path):
    signed_in = Prober(existing[0])

    signed_in.send_all(list_hostile_gets(path, (*ADMIN_PARAMETERS, "app_label", "model_name", "field_name"), count=20))
    signed_in.fill_in_forms(path, count=5)

    assert signed_in.failures == []


def test_nothing_that_is_sent_to_the_oauth_endpoints_is_a_server_error(db):
    flow = Flow.begin()
    stranger, signed_in = Prober(), Prober(flow.user)
    asked = Form("GET", "/oauth/authorize", tuple(flow.asked(nonce="n", claims="{}", prompt="login").items()))
    consent = Form("POST", "/oauth/authorize", (*asked.fields, ("allow", "true")))
    exchange = Form(
        "POST",
        "/oauth/token",
        (*asked.fields, ("grant_type", "authorization_code"), ("code", "c"), ("code_verifier", "v" * 64)),
    )
    refresh = Form(
        "POST", "/oauth/token", (("grant_type", "refresh_token"), ("refresh_token", "r"), ("client_id", flow.client_id))
    )
    revoke = Form("POST", "/oauth/revoke", (("token", "t"), ("token_type_hint", ""), ("client_id", flow.client_id)))

    for form in (asked, consent):
        signed_in.send_all(list_hostile_posts(form, count=40))
    for form in (exchange, refresh, revoke, consent):
        stranger.send_all(list_hostile_posts(form, count=40))

    assert signed_in.failures + stranger.failures == []


@pytest.mark.parametrize("path", ["/oauth/token", "/oauth/revoke"])
@pytest.mark.parametrize("pair", ["AHg=", "AAA=", "/w==", "Og==", "eDo=", "!", "JTAwOiUwMA=="])
def test_credentials_of_a_client_in_a_header_are_no_server_error(path, pair):
    prober = Prober()

    prober.send(
        HostileRequest("POST", path, b"grant_type=refresh_token&token=a", headers={"Authorization": f"Basic {pair}"})
    )

    assert prober.failures == []


@pytest.mark.parametrize("value", HOSTILE_VALUES, ids=repr)
def test_registering_a_client_is_no_server_error(value):
    prober, text = Prober(), value.replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    for body in (value, b'{"client_name": "' + text + b'", "redirect_uris": ["' + text + b'"]}'):
        prober.send(HostileRequest("POST", "/oauth/register", body, "application/json"))
        prober.send(HostileRequest("PUT", "/oauth/register/nobody", body, "application/json"))

    assert prober.failures == []


@pytest.mark.parametrize("name", ["sessionid", "csrftoken", "messages", "theme"])
@pytest.mark.parametrize("value", [r'"a\000b"', r'"\377"', '"', "x" * 3_000, r'"\033"'])
def test_a_cookie_is_no_server_error(db, name, value):
    prober, cookie = Prober(), {"Cookie": f"{name}={value}"}
    for path in ("/", "/accounts/login/", "/api/v1/whoami", "/admin/"):
        prober.send(HostileRequest("GET", path, headers=cookie))
        prober.send(HostileRequest("POST", path, b"a=b", headers=cookie))

    assert prober.failures == []


@pytest.mark.parametrize(
    ("path", "form"),
    [("/settings/profile", {"display_name": "a\x00b"}), ("/settings/tokens/new", {"name": "\x00"}),
     ("/settings/password", {"old_password": "\x00", "new_password1": "\x00"}), ("/feedback", {"title": "a\x00b"}),
     ("/accounts/login/", {"login": "a\x00@b.example", "password": "x"}),
     ("/accounts/login/?next=/%00", {"login": "a@b.example", "password": "x"})],
)  # fmt: skip
def test_a_form_with_a_nul_is_refused_with_a_page_that_says_so(existing, path, form):
    browser = Prober(existing[0]).client

    answer = browser.post(path, form)

    assert answer.status_code == 400
    assert "This cannot be read" in answer.content.decode()


@pytest.mark.parametrize("path", ["/oauth/token", "/oauth/revoke"])
def test_a_client_that_sends_a_nul_reads_an_error_of_the_protocol(client, path):
    answer = client.post(path, {"token": "a\x00", "grant_type": "refresh_token", "refresh_token": "\x00"})

    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_request")
    assert answer.json()["error_description"] == "NUL characters are not allowed."


@pytest.mark.parametrize(
    "tampered", [{"nonce": "n" * 5_000}, {"client_id": "nobody"}, {"redirect_uri": ""}, {"scope": ""}]
)
def test_a_consent_that_no_page_of_ours_sent_is_refused(db, tampered):
    answer = Flow.begin().allow(tampered=tampered)

    assert answer.status_code == 400
    assert "This client cannot be connected" in answer.content.decode()


@pytest.mark.parametrize("query", ["created_at__year=99999", "created_at__year=2147483648"])
def test_a_filter_that_no_column_takes_is_refused_in_the_admin_site(existing, query):
    answer = Prober(existing[0]).client.get(f"/admin/runs/run/?{query}")

    assert answer.status_code == 400
