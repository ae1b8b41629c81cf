"""HSTS and the Permissions-Policy stand on every answer, whatever part of the service gave it."""

import pytest
import requests

from files.storage.local import LocalStore
from files.storage.object_server import ObjectServer
from tests.live_server import address_of, listening, serving
from tests.web.front_door import Echo
from tests.web.test_http import raw
from web.lanes.sign_in import SignInLane
from web.server.bridge import serve_in_threads
from web.server.dispatch import Dispatcher, list_missing_headers
from wire.asgi import send_response

HSTS = "max-age=31536000"


async def answer_plainly(scope, receive, send):
    """Stands where the MCP server does."""
    await send_response(send, 200, [("Content-Length", "0")])


@pytest.fixture
def https_url(settings, tmp_path):
    settings.SECURE_HSTS_SECONDS = 31_536_000
    django = serve_in_threads(Echo(), threads=1)
    sign_ins = SignInLane(django, delay_seconds=0)
    sign_ins._max_places = 0
    with listening() as sock:
        url = address_of(sock)
        store = LocalStore(root=tmp_path, bucket="local", secret="s", base_url=url)
        parts = {"objects": ObjectServer(store), "mounts": {"/mcp": answer_plainly}, "lanes": [sign_ins]}
        with serving(Dispatcher(django=django, lifespan=django, **parts), sock):
            yield url


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", "/mcp", 200),
        ("GET", "/objects/a", 403),
        ("DELETE", "/objects/a", 405),
        ("POST", "/accounts/login/", 429),
        ("GET", "/", 200),
        ("GET", "/crash", 500),
    ],
)
def test_every_part_of_the_service_says_https_only(https_url, method, path, status):
    answer = requests.request(method, https_url + path, timeout=60)

    assert (answer.status_code, answer.headers["Strict-Transport-Security"]) == (status, HSTS)
    assert "camera=()" in answer.headers["Permissions-Policy"]


@pytest.mark.parametrize(
    ("content_type", "stands"),
    [(b"text/javascript; charset=utf-8", False), (b"text/css", False), (b"text/html", True), (b"image/svg+xml", True)],
)
def test_scripts_and_styles_say_nothing_of_what_a_page_may_use(content_type, stands):
    missing = dict(list_missing_headers([(b"Content-Type", content_type)]))

    assert (b"permissions-policy" in missing) is stands


def test_a_body_that_is_too_large_is_refused_with_them(https_url):
    answer = requests.post(https_url, data=b"x" * 100_000, timeout=60)

    assert (answer.status_code, answer.headers["Strict-Transport-Security"]) == (413, HSTS)


def test_what_is_no_http_is_refused_with_them(https_url):
    head = raw(https_url, b"hello\r\n\r\n").partition(b"\r\n\r\n")[0].lower()

    assert b"\r\nstrict-transport-security: max-age=31536000" in head
    assert b"\r\npermissions-policy: accelerometer=()" in head


def test_without_https_nothing_is_said_of_it(https_url, settings):
    settings.SECURE_HSTS_SECONDS = 0

    answer = requests.get(f"{https_url}/objects/a", timeout=60)

    assert "Strict-Transport-Security" not in answer.headers
    assert "camera=()" in answer.headers["Permissions-Policy"]
