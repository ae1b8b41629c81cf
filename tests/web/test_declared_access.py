"""What does not say who may use it: the check names it, and nobody gets past."""

import logging
import sys
import threading
import time
from types import ModuleType

import pytest
from allauth.account import views as allauth
from django.contrib import admin
from django.http import HttpResponse
from django.test import RequestFactory
from django.urls import path

import config.urls
from accounts.access import PUBLIC, USERS_MANAGE
from accounts.api import UserViewSet
from config.asgi import application
from dashboard.urls import pages
from mcp_server.application import McpApp
from runs.admin import RunAdmin
from tests.clients import Api
from tests.factories import make_user
from web import startup
from web.public_routes import PUBLIC_ROUTES
from web.routes import access_faults, all_routes, mount_faults
from web.startup import UndeclaredAccess, require_declared_access

MEMBERS_FAULT = "/settings/members declares no access (dashboard.accounts.members.member_list)."


def answer_all(request):
    return HttpResponse("open")


@pytest.fixture
def unguarded(settings):
    """The members page without its guard."""
    settings.ROOT_URLCONF = "tests.web.unguarded_urls"


@pytest.fixture
def add_route(settings):
    def add(*routes):
        urls = ModuleType("urls_of_a_test")
        vars(urls).update(vars(config.urls), urlpatterns=[*routes, *config.urls.urlpatterns])
        settings.ROOT_URLCONF = urls

    return add


@pytest.fixture
def add_to_admin_site(add_route, monkeypatch):
    """A page of runs beside those that Django makes: `wrapped(site, view)` answers it."""

    def add(wrapped):
        def urls(self):
            return [path("peek/", wrapped(self.admin_site, answer_all)), *admin.ModelAdmin.get_urls(self)]

        monkeypatch.setattr(RunAdmin, "get_urls", urls, raising=False)
        add_route(path("admin/", admin.site.urls))

    return add


def fault():
    with pytest.raises(UndeclaredAccess) as raised:
        require_declared_access()
    return str(raised.value)


def error_of(answer):
    return answer.status_code, answer.json()["error"]["code"]


def test_the_service_as_it_is_passes():
    require_declared_access()


def test_without_its_guard_a_page_fails_the_check_which_names_it(unguarded):
    assert fault() == MEMBERS_FAULT


def test_without_its_guard_a_page_still_sends_strangers_to_sign_in(db, unguarded, client):
    answer = client.get("/settings/members?page=2")

    assert (answer.status_code, answer["Location"]) == (302, "/accounts/login/?next=/settings/members%3Fpage%3D2")


@pytest.mark.parametrize("is_admin", [False, True])
def test_without_its_guard_a_page_refuses_whoever_is_signed_in(db, unguarded, is_admin, caplog):
    member = make_user("someone.else@lab.example")

    answer = Api(user=make_user(is_admin=is_admin)).get("/settings/members")

    assert answer.status_code == 403
    assert "This is not open to you" in answer.content.decode()
    assert member.email not in answer.content.decode()
    assert [(one.levelno, one.getMessage()) for one in caplog.records if one.name == "web.middleware"] == [
        (logging.ERROR, MEMBERS_FAULT)
    ]


def test_a_library_may_not_open_its_pages_by_itself(db, add_route, client):
    add_route(path("accounts/signup/", allauth.signup, name="account_signup"))

    assert fault().startswith("/accounts/signup/ declares no access (allauth.account.views.")
    assert client.get("/accounts/signup/")["Location"] == "/accounts/login/?next=/accounts/signup/"
    assert Api(user=make_user()).get("/accounts/signup/").status_code == 403


def test_an_action_without_access_fails_the_check_which_names_it(as_admin, monkeypatch):
    as_admin().get("/api/v1/users")  # from then on it answers HEAD, too
    monkeypatch.delitem(UserViewSet.access, "list")

    assert fault() == "GET /api/v1/users declares no access (accounts.api.UserViewSet.list)."


def test_an_action_without_access_refuses_everybody(monkeypatch, anonymous, as_admin, as_token):
    callers = [anonymous, as_admin(), as_token()]
    monkeypatch.delitem(UserViewSet.access, "list")

    answers = [caller.get("/api/v1/users") for caller in callers]

    assert [error_of(answer) for answer in answers] == [(403, "FORBIDDEN")] * 3
    assert answers[0].json()["error"]["message"] == "Nobody may use this: it does not say who may."


def test_an_action_without_access_refuses_where_no_middleware_stands_before_it(db, monkeypatch, caplog):
    monkeypatch.delitem(UserViewSet.access, "list")

    answer = UserViewSet.as_view({"get": "list"})(RequestFactory().get("/api/v1/users"))

    assert answer.status_code == 403
    assert "UserViewSet.list declares no access" in caplog.text


def test_an_access_that_nothing_asks_is_none(db, monkeypatch, anonymous):
    monkeypatch.setattr(UserViewSet, "permission_classes", ())

    assert "GET /api/v1/users declares an access that nothing asks (accounts.api.UserViewSet)." in fault()
    assert anonymous.get("/api/v1/users").status_code == 403


def test_an_action_is_public_only_where_the_list_says_so(db, monkeypatch, anonymous):
    monkeypatch.setitem(UserViewSet.access, "list", PUBLIC)

    assert fault() == "GET /api/v1/users is public, but not in the list of public routes."
    assert anonymous.get("/api/v1/users").status_code == 403


def test_a_page_that_a_model_adds_to_the_admin_site_unguarded_is_noticed(db, add_to_admin_site, client, as_admin):
    add_to_admin_site(lambda site, view: view)

    assert fault() == f"/admin/runs/run/peek/ declares no access ({__name__}.answer_all)."
    assert client.get("/admin/runs/run/peek/").status_code == 302
    assert as_admin().get("/admin/runs/run/peek/").status_code == 403


def test_a_page_that_a_model_adds_to_the_admin_site_guarded_is_for_maintainers(add_to_admin_site, as_person, as_admin):
    add_to_admin_site(lambda site, view: site.admin_view(view))

    require_declared_access()
    assert as_admin().get("/admin/runs/run/peek/").content == b"open"
    assert as_person().get("/admin/runs/run/peek/")["Location"] == "/admin/login/?next=/admin/runs/run/peek/"


def test_a_public_route_that_is_gone_leaves_no_line_behind(monkeypatch):
    monkeypatch.setitem(PUBLIC_ROUTES, "settings/nowhere", "Once it was somewhere.")

    assert fault() == "/settings/nowhere is listed as public, but is no route."


def test_a_start_without_the_check_is_refused(monkeypatch):
    monkeypatch.setattr(startup, "ACCESS", "no such check")

    assert fault() == "The check of who may use what is not installed."


def test_what_answers_beside_django_says_who_may_use_it():
    assert sorted(application.beside_django) == ["/mcp", "/mcp/", "/mcp/v1", "/mcp/v1/", "/objects/"]
    assert mount_faults(application.beside_django) == []


def test_a_mount_without_access_is_named(monkeypatch):
    monkeypatch.delattr(McpApp, "access")

    assert "/mcp/v1 declares no access (mcp_server.application.McpApp)." in mount_faults(application.beside_django)


def test_a_page_carries_the_policy_that_its_guard_asks():
    [members] = [one.callback for one in pages if one.name == "members"]

    assert members.access is USERS_MANAGE


def test_requests_that_come_at_once_do_not_trip_over_each_other():
    """The first one of a process has Django REST framework add HEAD to the actions of its route."""
    route, view = next((route, view) for route, view in all_routes() if getattr(view, "actions", {}).get("get"))
    actions, ended = view.actions, threading.Event()

    def come_first():
        while not ended.is_set():
            actions.pop("head", None)
            time.sleep(0)
            actions["head"] = actions["get"]
            time.sleep(0)

    before = sys.getswitchinterval()
    first = threading.Thread(target=come_first)
    first.start()
    try:
        sys.setswitchinterval(1e-6)
        assert [access_faults(route, view) for _ in range(3_000)] == [[]] * 3_000
    finally:
        sys.setswitchinterval(before)
        ended.set()
        first.join()
