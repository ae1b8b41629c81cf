"""What holds on every page: the content policy, the shell, and refusals in the same clothes."""

from html.parser import HTMLParser

import pytest
from django.db import OperationalError

from accounts.sign_in.first_admin import make_first_link
from tests.factories import make_run, make_user
from tests.markup import flat
from wire.clock import now
from wire.errors import Forbidden

POLICY = {
    "default-src 'none'",
    "script-src testserver/static/ 127.0.0.1:8000/static/",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
}
OPEN_PAGES = ["/accounts/login/", "/accounts/inactive/", "/accounts/first/spent/", "/nowhere", "/api/docs"]
OWN_PAGES = ["/", "/accounts/logout/", "/api/docs"]

pytestmark = pytest.mark.django_db


class Inline(HTMLParser):
    """Collects what the content policy would refuse, and addresses elsewhere."""

    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        names = {name: value or "" for name, value in attributes}
        targets = [value for name, value in names.items() if name in ("src", "href", "action")]
        if tag == "style" or (tag == "script" and "src" not in names) or "style" in names:
            self.found.append((tag, names))
        if any(name.startswith("on") for name in names) or any(target.startswith("javascript:") for target in targets):
            self.found.append((tag, names))
        if tag != "a" and any("//" in target for target in targets):
            self.found.append((tag, names))


@pytest.mark.parametrize("path", OPEN_PAGES)
def test_open_pages_hold_nothing_inline_and_nothing_from_elsewhere(client, path):
    response = client.get(path)

    assert Inline(response.content.decode()).found == []
    assert set(response["Content-Security-Policy"].split("; ")) == POLICY


@pytest.mark.parametrize(
    ("host", "sources"),
    [("127.0.0.1:8000", "127.0.0.1:8000/static/"), ("localhost", "localhost/static/ 127.0.0.1:8000/static/"),
     ("[::1]:8000", "'self'")],
)  # fmt: skip
def test_scripts_come_from_the_place_of_static_files_of_the_host_that_was_asked(client, host, sources):
    response = client.get("/accounts/login/", headers={"Host": host})

    assert f"script-src {sources}" in response["Content-Security-Policy"].split("; ")


@pytest.mark.parametrize("path", OWN_PAGES)
def test_pages_of_signed_in_people_hold_nothing_inline_and_nothing_from_elsewhere(client, path):
    client.force_login(make_user())
    make_run()

    response = client.get(path)

    assert Inline(response.content.decode()).found == []


def test_the_first_admins_form_holds_nothing_inline(client):
    response = client.get(make_first_link(at=now()))

    assert Inline(response.content.decode()).found == []


def test_pages_cannot_be_framed_sniffed_or_kept(client):
    client.force_login(make_user())

    response = client.get("/")

    assert response["X-Frame-Options"] == "DENY"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "no-store" in response["Cache-Control"]


def test_the_shell_names_who_is_signed_in_and_lets_them_out(client):
    client.force_login(make_user(display_name="Ines Okafor"))

    page = client.get("/").content.decode()

    assert "Ines Okafor" in page
    assert '<form method="post" action="/accounts/logout/" data-leaves>' in page


@pytest.mark.parametrize(
    ("cookie", "attribute"),
    [("dark", 'data-theme="dark"'), ("light", 'data-theme="light"'), ('"><script>', '<html lang="en">')],
)
def test_the_colours_that_were_chosen_are_kept(client, cookie, attribute):
    client.cookies["theme"] = cookie

    page = flat(client.get("/accounts/login/"))

    assert attribute in page


def test_an_unknown_page_says_so_with_the_request_id(client):
    response = client.get("/nowhere", headers={"X-Request-ID": "find-me-1"})

    assert response.status_code == 404
    assert "404. Nothing is here" in response.content.decode()
    assert "find-me-1" in response.content.decode()


def test_an_unknown_page_leads_on_where_somebody_may_be_signed_in(client):
    places = ('href="/runs"', 'href="/instruments"', 'href="/search"')
    stranger = client.get("/nowhere").content.decode()
    client.force_login(make_user())

    page = client.get("/nowhere").content.decode()

    assert [place in page for place in places] == [True] * 3
    assert [place in stranger for place in places] == [False] * 3


def test_error_pages_ask_nothing_of_the_database(client, django_assert_num_queries):
    client.force_login(make_user())

    with django_assert_num_queries(0):
        client.get("/nowhere")


def test_a_database_out_of_reach_is_a_page_that_says_when_to_come_back(client, monkeypatch):
    client.force_login(make_user())
    client.raise_request_exception = False
    monkeypatch.setattr("dashboard.guard.caller_of_page", _raise(OperationalError("gone")))

    response = client.get("/")

    assert (response.status_code, response["Retry-After"]) == (503, "5")
    assert "Nothing is lost" in response.content.decode()


def test_a_crash_is_a_page_without_its_inside(client, monkeypatch):
    client.force_login(make_user())
    client.raise_request_exception = False
    monkeypatch.setattr("dashboard.guard.caller_of_page", _raise(RuntimeError("secret inside")))

    response = client.get("/")

    assert response.status_code == 500
    assert "Something went wrong here" in response.content.decode()
    assert "secret inside" not in response.content.decode()


def test_a_refusal_of_a_page_is_a_page(client, monkeypatch):
    client.force_login(make_user())
    monkeypatch.setattr("dashboard.guard.caller_of_page", _raise(Forbidden("This needs the admin role.")))

    response = client.get("/")

    assert response.status_code == 403
    assert "This is not open to you" in response.content.decode()


def test_a_method_that_a_page_does_not_take_is_refused(client):
    client.force_login(make_user())

    assert client.post("/").status_code == 405


def test_static_files_are_named_by_their_content_and_kept_for_ever(client):
    page = client.get("/accounts/login/").content.decode()
    [path] = [part for part in page.split('"') if part.startswith("/static/app.")]

    response = client.get(path)

    assert (response.status_code, response["Content-Type"]) == (200, 'text/css; charset="utf-8"')
    assert response["Cache-Control"] == "max-age=315360000, public, immutable"
    assert "Access-Control-Allow-Origin" not in response


def test_a_static_file_by_its_plain_name_is_asked_for_again(client):
    assert client.get("/static/app.css")["Cache-Control"] == "max-age=60, public"


def _raise(error):
    def call(*args, **kwargs):
        raise error

    return call
