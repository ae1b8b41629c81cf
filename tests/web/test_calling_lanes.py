"""Whoever waits for a service outside holds no thread of the web's, and no lane of another service."""

import asyncio
import threading
from contextlib import ExitStack, contextmanager

import pytest
import requests
from django.test import Client

from accounts.callers import caller_for_user
from accounts.integrations import IntegrationChange, connect_integration
from accounts.models import IntegrationKind
from tests.factories import make_token_with_text, make_user
from tests.live_server import address_of, listening, serving
from tests.outside import dripping
from web.lanes.calling import CALLS, MAX_PLACES_OF_ADDRESS, THREADS, CallsBusy, build_calling_lanes
from web.server.bridge import serve_in_threads
from web.server.dispatch import Dispatcher
from wire.clock import now
from wire.outgoing import http_client

BACKEND = "allauth.account.auth_backends.AuthenticationBackend"
WAITING = THREADS + 2
DEADLINE = 120


def lane_of(method, path):
    lanes = dict(zip(CALLS, build_calling_lanes(lambda: None), strict=True))
    return next((name for name, lane in lanes.items() if lane.takes({"method": method, "path": path})), None)


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("GET", "/accounts/oidc/login/", "provider"),
        ("GET", "/accounts/oidc/login/callback/", "provider"),
        ("POST", "/feedback", "connections"),
        ("POST", "/api/v1/feedback", "connections"),
        ("POST", "/settings/integrations/tracker", "connections"),
        ("POST", "/api/v1/settings/integrations/chat/test", "connections"),
        ("GET", "/oauth/authorize", "clients"),
        ("POST", "/oauth/token", "clients"),
        ("GET", "/feedback", None),
        ("POST", "/feedback/00000000-0000-4000-8000-000000000000/forget", None),
        ("POST", "/oauth/register", None),
        ("GET", "/api/v1/whoami", None),
        ("POST", "/accounts/login/", None),
    ],
)
def test_what_calls_others_goes_through_its_lane(method, path, expected):
    assert lane_of(method, path) == expected


@contextmanager
def service():
    """The service itself with as many threads as a lane has."""
    from config.wsgi import application as wsgi  # Django's handler for all tests, made once there is a database

    django = serve_in_threads(wsgi, threads=THREADS)
    lanes = build_calling_lanes(lambda: serve_in_threads(wsgi, threads=THREADS))
    with listening() as sock, serving(Dispatcher(django=django, lifespan=django, lanes=lanes), sock):
        yield address_of(sock)


def send_meanwhile(done, send):
    """As many requests as hold a lane and wait before it, until the end of the test."""
    threads = [threading.Thread(target=send) for _ in range(WAITING)]
    for thread in threads:
        done.callback(thread.join)
    for thread in threads:
        thread.start()


def wait_until_held(drip):
    assert all(drip.held.acquire(timeout=DEADLINE) for _ in range(THREADS))


@pytest.fixture
def patient(monkeypatch):
    """Nothing cuts a call off before the test is over."""
    monkeypatch.setattr(http_client, "TIMEOUT_SECONDS", 2 * DEADLINE)
    monkeypatch.setattr(http_client, "CONVERSATION_SECONDS", 2 * DEADLINE)


def use_provider(settings, url):
    settings.OIDC_NAME = "Lab ID"
    app = {"client_id": "ids", "secret": "secret", "name": "Lab ID", "settings": {"server_url": url}}
    settings.SOCIALACCOUNT_PROVIDERS = {"oidc": {"APPS": [app]}}


@pytest.mark.django_db(transaction=True)
def test_a_provider_that_drips_keeps_nobody_else_waiting(settings, patient):
    _, token = make_token_with_text(created_by=make_user())
    with ExitStack() as done:
        url = done.enter_context(service())
        drip = done.enter_context(dripping())
        use_provider(settings, drip.url)
        send_meanwhile(done, lambda: requests.get(f"{url}/accounts/oidc/login/", timeout=DEADLINE))
        done.callback(drip.over.set)
        wait_until_held(drip)

        headers = {"Authorization": f"Bearer {token}"}
        answers = [
            requests.get(f"{url}/api/v1/whoami", headers=headers, timeout=DEADLINE / 2).status_code for _ in range(5)
        ]

    assert answers == [200] * 5


@pytest.mark.django_db(transaction=True)
def test_a_tracker_that_drips_keeps_nobody_else_waiting(patient):
    person = make_user(is_admin=True)
    _, token = make_token_with_text(created_by=person)
    browser = Client()
    browser.force_login(person, backend=BACKEND)
    cookies = {name: morsel.value for name, morsel in browser.cookies.items()} | {"csrftoken": "c" * 32}
    report = {"kind": "bug", "title": "Slow", "description": "Very."}
    with ExitStack() as done:
        url = done.enter_context(service())
        drip = done.enter_context(dripping())
        wanted = IntegrationChange(base_url=drip.url, target="lab/ids", secret="ghp-secret")
        connect_integration(IntegrationKind.TRACKER, wanted=wanted, by=caller_for_user(person), at=now())
        send_meanwhile(
            done,
            lambda: requests.post(
                f"{url}/api/v1/feedback",
                json=report,
                cookies=cookies,
                headers={"X-CSRFToken": "c" * 32},
                timeout=DEADLINE,
            ),
        )
        done.callback(drip.over.set)
        wait_until_held(drip)

        headers = {"Authorization": f"Bearer {token}"}
        answers = [
            requests.get(f"{url}/api/v1/whoami", headers=headers, timeout=DEADLINE / 2).status_code for _ in range(5)
        ]

    assert answers == [200] * 5


def test_one_address_never_fills_a_lane():
    async def run():
        door = asyncio.Event()

        async def calling(scope, receive, send):
            await door.wait()

        lane = build_calling_lanes(lambda: calling)[0]
        waiting = [
            asyncio.ensure_future(lane({"client": ("10.0.0.1", 1)}, None, None)) for _ in range(MAX_PLACES_OF_ADDRESS)
        ]
        await asyncio.sleep(0)
        with pytest.raises(CallsBusy):
            await lane({"client": ("10.0.0.1", 1)}, None, None)
        another = asyncio.ensure_future(lane({"client": ("10.0.0.2", 1)}, None, None))
        await asyncio.sleep(0)
        is_waiting = not another.done()
        door.set()
        await asyncio.gather(*waiting, another)
        return is_waiting

    assert asyncio.run(run())


@pytest.fixture
def full_lanes():
    """A service whose lanes have no place at all."""
    lanes = build_calling_lanes(lambda: None)
    for lane in lanes:
        lane._max_places = 0
    django = serve_in_threads(lambda environ, start_response: [], threads=1)
    with listening() as sock, serving(Dispatcher(django=django, lifespan=django, lanes=lanes), sock):
        yield address_of(sock)


def test_a_full_lane_says_so_on_a_page(full_lanes):
    answer = requests.get(f"{full_lanes}/accounts/oidc/login/", timeout=DEADLINE)

    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert "Many wait for the same service" in answer.text


def test_a_full_lane_says_so_in_the_envelope(full_lanes):
    answer = requests.post(f"{full_lanes}/api/v1/feedback", json={}, timeout=DEADLINE)

    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert answer.json()["error"]["code"] == "SERVICE_UNAVAILABLE"
