"""The front door over real sockets: who answers what, and what waiting clients cost the others."""

import io
import json
import socket
from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest
import requests

from files.storage.local import LocalStore
from files.storage.object_server import ObjectServer
from tests.live_server import address_of, listening, serving
from tests.web.front_door import THREADS, error_of, front_door, open_request, read_all
from web.server.bridge import serve_in_threads
from web.server.dispatch import Dispatcher
from wire.asgi import send_response

STALLED = 50


def test_stalled_clients_slow_down_nobody(echo, tmp_path):
    with listening() as sock, ExitStack() as stalled:
        url = address_of(sock)
        store = LocalStore(root=tmp_path, bucket="local", secret="s", base_url=url)
        django = serve_in_threads(echo, threads=THREADS)
        stack_up = stalled.enter_context
        with serving(Dispatcher(django=django, lifespan=django, objects=ObjectServer(store)), sock):
            for number in range(STALLED):
                signed = store.presign_put(f"a/{number}", size_bytes=11, content_type="text/csv")
                stack_up(stall_upload(url, signed))
                stack_up(open_request(url, "POST /stalled HTTP/1.1\r\nContent-Length: 11", body=b"hello"))

            answers = [requests.post(f"{url}/heartbeat", data=b"{}", timeout=20).status_code for _ in range(20)]
            upload = store.presign_put("b", size_bytes=2, content_type="text/csv")
            uploaded = requests.put(upload.url, data=b"{}", headers=upload.headers, timeout=20).status_code

    assert answers == [200] * 20
    assert uploaded == 200
    assert echo.paths == ["/heartbeat"] * 20


def stall_upload(url, signed):
    target = urlsplit(signed.url)
    headers = "\r\n".join(f"{name}: {value}" for name, value in signed.headers.items())
    return open_request(url, f"PUT {target.path}?{target.query} HTTP/1.1\r\n{headers}", body=b"hello")


def test_an_unplanned_error_is_told_in_the_envelope(url):
    answer = requests.get(f"{url}/crash", headers={"X-Request-ID": "mine-2"}, timeout=30)

    assert error_of(answer) == (500, "INTERNAL_ERROR")
    assert answer.headers["X-Request-ID"] == "mine-2"
    assert "secret" not in answer.text


def test_a_plain_request_id_goes_through(url):
    answer = requests.get(f"{url}/x", headers={"X-Request-ID": "mine-3"}, timeout=30)

    assert answer.json()["HTTP_X_REQUEST_ID"] == answer.headers["X-Request-ID"] == "mine-3"


@pytest.mark.parametrize("given", ["a" * 65, "a b", "x{}<>", b"\xe9"])
def test_any_other_request_id_is_replaced(url, given):
    answer = requests.get(f"{url}/x", headers={"X-Request-ID": given}, timeout=30)

    assert answer.json()["HTTP_X_REQUEST_ID"] == answer.headers["X-Request-ID"]
    assert len(answer.headers["X-Request-ID"]) == 36


def test_a_header_with_an_underscore_cannot_pose_as_another(url):
    headers = {"X_Request_ID": "mine", "X_Forwarded_For": "10.0.0.1", "Content_Length": "5"}

    told = requests.get(f"{url}/x", headers=headers, timeout=30).json()

    assert told["HTTP_X_REQUEST_ID"] != "mine"
    assert "HTTP_X_FORWARDED_FOR" not in told
    assert "HTTP_CONTENT_LENGTH" not in told


@pytest.mark.parametrize(
    ("target", "path"),
    [("/a%00b", "/a\0b"), ("/%FF", "/\xef\xbf\xbd"), ("/objects", "/objects"), ("//objects/x", "//objects/x")],
)
def test_odd_paths_reach_the_application(url, target, path):
    with open_request(url, f"GET {target} HTTP/1.0") as connection:
        connection_answer = read_all(connection)

    assert json.loads(connection_answer.partition(b"\r\n\r\n")[2])["PATH_INFO"] == path


def test_a_query_that_is_not_ascii_is_no_crash(url):
    with socket.create_connection((urlsplit(url).hostname, urlsplit(url).port), timeout=30) as connection:
        connection.sendall(b"GET /x?search=\xff\xc3\xa9&b=%41 HTTP/1.0\r\nHost: lab\r\n\r\n")
        told = read_all(connection)

    assert told.startswith((b"HTTP/1.1 200 ", b"HTTP/1.1 400 "))


@pytest.mark.parametrize("charset", ["hex", "utf-16", "bogus", '"rot13"'])
def test_no_header_says_how_a_query_is_read(url, charset):
    kind = f"multipart/form-data; Charset={charset}; boundary=b"

    told = requests.post(f"{url}/x", data=b"{}", headers={"Content-Type": kind}, timeout=30).json()

    assert told["CONTENT_TYPE"] == "multipart/form-data; boundary=b"


def test_head_answers_without_a_body(url):
    answer = requests.head(f"{url}/x", timeout=30)

    assert (answer.status_code, answer.content) == (200, b"")


def test_a_mounted_application_answers_exactly_its_path(echo):
    async def mcp(scope, receive, send):
        await send_response(send, 200, [("Content-Length", "3")], b"mcp")

    with front_door(echo, mounts={"/mcp": mcp, "/mcp/v1": mcp}) as url:
        answers = {path: requests.post(url + path, timeout=30) for path in ("/mcp", "/mcp/v1", "/mcp/v2", "/mcp/v1/x")}

    assert [path for path, response in answers.items() if response.text == "mcp"] == ["/mcp", "/mcp/v1"]
    assert echo.paths == ["/mcp/v2", "/mcp/v1/x"]


@pytest.mark.parametrize(
    ("host", "is_object", "status"),
    [("objects.lab", True, 200), ("pages.lab", False, 200), ("pages.lab", True, 421), ("objects.lab", False, 421)],
)
def test_objects_on_a_host_of_their_own_are_nowhere_else_nor_is_anything_else_there(
    echo, tmp_path, host, is_object, status
):
    store = LocalStore(root=tmp_path, bucket="local", secret="s", base_url="http://objects.lab")
    store.put("a", io.BytesIO(b"data"), size_bytes=4, content_type="text/plain")
    signed = store.presign_get("a", filename="a", content_type="text/plain").removeprefix("http://objects.lab")
    with front_door(echo, objects=ObjectServer(store), objects_host="objects.lab") as url:
        answer = requests.get(url + (signed if is_object else "/x"), headers={"Host": host}, timeout=30)

    assert answer.status_code == status
