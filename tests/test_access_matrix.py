"""One table: every REST route, every page, and every kind of caller. What is missing from it fails.

The ids in the paths lead nowhere, so a caller who gets in meets 200, 400 or 404, and one who does not meets 401 or 403.
"""

from urllib.parse import quote

import pytest

from accounts.access import Public
from tests.access_rows import ALL_SCOPES, IDS, PAGES, PERSON, PREFIX, PUBLIC, ROUTES, TOKEN, Page, Route
from tests.clients import Api
from tests.factories import make_token_with_text, make_user
from web.public_routes import PUBLIC_ROUTES
from web.routes import all_routes, is_of_admin_site, is_page, is_rest, rest_routes

ROUTED = sorted(
    {
        (method, pattern.removeprefix(PREFIX))
        for pattern, view, method, action in rest_routes()
        if not isinstance(view.access.get(action), Public)
    }
)
BUILT = [route for route in ROUTES if route.key in ROUTED]


def concrete(path: str, *, prefix: str = PREFIX) -> str:
    for parameter, value in IDS.items():
        while parameter in path:
            start = path.index(parameter)
            path = path[:start] + value + path[path.index(">", start) + 1 :]
    return f"/{prefix}{path}"


def refusal(status: int) -> int | None:
    return status if status in (401, 403) else None


def call(api: Api, route: Route) -> int | None:
    return refusal(api.send(route.method, concrete(route.path), {} if route.method != "GET" else None).status_code)


def as_id(route: Route) -> str:
    return f"{route.method} {route.path}"


def test_every_route_is_in_the_table():
    assert [key for key in ROUTED if key not in {route.key for route in ROUTES}] == []


def test_every_row_is_a_route():
    assert [route.key for route in ROUTES if route.key not in ROUTED] == []


@pytest.mark.parametrize("route", BUILT, ids=as_id)
def test_nobody_gets_in(db, route):
    assert call(Api(), route) == 401


@pytest.mark.parametrize("route", BUILT, ids=as_id)
def test_a_person_gets_in_where_people_may(db, route):
    expected = 401 if route.only == TOKEN else 403 if route.admin else None

    assert call(Api(user=make_user()), route) == expected


@pytest.mark.parametrize("route", BUILT, ids=as_id)
def test_an_admin_gets_in_where_people_may(db, route):
    assert call(Api(user=make_user(is_admin=True)), route) == (401 if route.only == TOKEN else None)


@pytest.mark.parametrize("route", BUILT, ids=as_id)
def test_a_token_without_the_scope_is_refused(db, route):
    every_other = ALL_SCOPES - {route.scope}
    token, text = make_token_with_text(*every_other)
    expected = 401 if route.only == PERSON else 403 if route.scope else None

    assert call(Api(token=token, text=text), route) == expected


@pytest.mark.parametrize("route", [route for route in BUILT if route.scope], ids=as_id)
def test_a_missing_scope_is_named(db, route):
    if route.only == PERSON:
        pytest.skip("people hold every scope")
    _, text = make_token_with_text(*ALL_SCOPES - {route.scope})

    answer = Api(text=text).send(route.method, concrete(route.path), {} if route.method != "GET" else None)

    assert answer.json()["error"]["details"] == {"scope": route.scope}
    assert route.scope in answer.json()["error"]["message"]


@pytest.mark.parametrize("route", BUILT, ids=as_id)
def test_a_token_with_the_scope_alone_gets_in(db, route):
    token, text = make_token_with_text(route.scope or "read")

    assert call(Api(token=token, text=text), route) == (401 if route.only == PERSON else None)


ADMIN_SITE = sorted(
    "/" + path.replace("^", "").replace("$", "")
    for path, view in all_routes()
    if is_of_admin_site(view) and "(?P" not in path and "logout" not in path
)
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: f"/{page.path}")


def open_page(api: Api, page: Page):
    """As a link or a form would, whichever the page takes; its refusal, or nothing where the caller got in."""
    path = concrete(page.path, prefix="")
    answer = api.get(path)
    return refusal((api.send("POST", path, {}) if answer.status_code == 405 else answer).status_code)


def test_every_page_is_in_the_table():
    pages = {path for path, view in all_routes() if not is_rest(view) and not is_of_admin_site(view)}

    assert sorted(pages - {page.path for page in PAGES} - PUBLIC.keys()) == []


def test_every_row_of_a_page_is_a_page():
    pages = [path for path, view in all_routes() if is_page(view)]

    assert sorted(page.path for page in PAGES) == sorted(pages)


def test_every_public_route_is_in_the_table():
    assert set(PUBLIC) == PUBLIC_ROUTES.keys() - {"objects/"}  # not a route of Django's: tests/files/storage


@pytest.mark.parametrize(("path", "status"), PUBLIC.items(), ids=lambda value: str(value))
def test_anybody_reaches_what_is_public(db, path, status):
    answer = Api().get(concrete(path, prefix=""))

    assert answer.status_code == status


@each_page
def test_a_page_sends_strangers_to_sign_in(db, page):
    path = concrete(page.path, prefix="")

    answer = Api().get(path)

    assert (answer.status_code, answer["Location"]) == (302, f"/accounts/login/?next={quote(path)}")


@each_page
def test_no_token_opens_a_page(db, page):
    token, text = make_token_with_text()

    assert Api(token=token, text=text).get(concrete(page.path, prefix="")).status_code == 302


@each_page
def test_a_person_opens_what_is_not_for_admins(db, page):
    assert open_page(Api(user=make_user()), page) == (403 if page.admin else None)


@each_page
def test_an_admin_opens_every_page(db, page):
    assert open_page(Api(user=make_user(is_admin=True)), page) is None


@pytest.mark.parametrize("is_admin", [None, False], ids=["stranger", "person"])
def test_the_admin_site_is_for_admins(db, is_admin):
    api = Api(user=None if is_admin is None else make_user(is_admin=is_admin))

    answers = {path: api.get(concrete(path[1:], prefix="")) for path in ADMIN_SITE}

    assert [path for path, one in answers.items() if not one.get("Location", "").startswith("/admin/login/")] == []
    assert len(answers) > 150
