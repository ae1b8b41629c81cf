"""Every unsafe request of a session needs the CSRF token: each REST route, each page."""

import pytest
from rest_framework.viewsets import ViewSetMixin

from accounts.access import Only, Public
from tests.access_rows import PREFIX
from tests.clients import Api
from tests.factories import make_user
from tests.test_access_matrix import concrete
from web.routes import all_routes, rest_routes

UNSAFE = sorted(
    (method, pattern.removeprefix(PREFIX))
    for pattern, view, method, action in rest_routes()
    if method not in ("GET", "HEAD")
    and not isinstance(view.access[action], Public)
    and getattr(view.access[action], "only", None) is not Only.TOKEN
)
WITHOUT_A_COOKIE = {"oauth/token", "oauth/revoke", "oauth/register", "oauth/register/<str:client_id>"}
READ_ONLY = {"shared/<str:secret>/", "shared/<str:secret>/files/<file_id:file_id>"}


@pytest.mark.parametrize(("method", "path"), UNSAFE, ids=lambda value: value)
@pytest.mark.parametrize("forged", [{}, {"X_CSRFToken": "d" * 32}])
def test_a_session_without_the_right_token_changes_nothing(db, method, path, forged):
    browser = Api(user=make_user(is_admin=True))
    del browser.headers["X-CSRFToken"]

    answer = browser.send(method, concrete(path), {}, **forged)

    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "FORBIDDEN")
    assert "CSRF" in answer.json()["error"]["message"]


def test_the_routes_are_all_there():
    assert len(UNSAFE) >= 25


def test_every_page_asks_for_it_but_those_that_read_no_cookie_or_take_nothing():
    exempt = {
        pattern
        for pattern, callback in all_routes()
        if getattr(callback, "csrf_exempt", False)
        and not issubclass(getattr(callback, "cls", object), ViewSetMixin)
        and not pattern.endswith("openapi.json")
    }

    assert exempt == WITHOUT_A_COOKIE | READ_ONLY


@pytest.mark.parametrize("origin", ["https://evil.example", "http://testserver.evil.example", "null"])
def test_a_foreign_origin_is_refused_though_the_token_is_right(as_admin, origin):
    answer = as_admin().post("/api/v1/tokens", {"name": "n", "scopes": ["read"]}, Origin=origin)

    assert answer.status_code == 403
