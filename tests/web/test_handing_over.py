"""A connection that is handed over is answered by the other server, with all that was asked on it."""

import http.client
import json
import os
import socket
import threading
from contextlib import ExitStack, contextmanager

import pytest
import uvicorn

from operations.embedded.sockets import listen_in
from tests.faults.journal import wait_until
from tests.web.front_door import read_all
from web.lanes.handing_over import find_query_server, hand_over
from web.server.calm_server import LOOK_SECONDS, CalmServer
from web.server.handed import QueryServer
from web.server.http import BoundedHttp
from web.server.query_server import QUERY_SOCKET
from web.server.refusing import refuse_clients, refuse_waiting

LARGE = 30_000_000


def tell(name, path=None):
    """An application that says what it was asked, and who it is. With a path it hands over all but /here."""

    async def answer(scope, receive, send):
        if scope["type"] != "http":
            return
        if path and scope["path"] != "/here" and hand_over(str(path), scope):
            return
        said = {
            "by": name,
            "method": scope["method"],
            "query": scope["query_string"].decode(),
            "client": scope["client"],
        }
        said["headers"] = [[key.decode(), value.decode()] for key, value in scope["headers"]]
        body = b"x" * LARGE if scope["path"] == "/large" else json.dumps(said).encode()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]})
        for place in range(0, len(body), 1_000_000):
            await send({"type": "http.response.body", "body": body[place : place + 1_000_000], "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    return answer


@contextmanager
def serving(app, sock=None, kind=CalmServer, loop="web.server.accepting:make_loop", **more):
    config = uvicorn.Config(app, port=0, http=BoundedHttp, lifespan="off", log_config=None, access_log=False, loop=loop)
    server, bound = kind(config, **more), sock or config.bind_socket()
    thread = threading.Thread(target=server.run, args=([bound],))
    thread.start()
    wait_until(lambda: server.started, seconds=20, why="it listens")
    try:
        yield server, bound.getsockname(), thread
    finally:
        server.should_exit = True
        thread.join(20)
        assert not thread.is_alive()


@contextmanager
def answering_queries(path, idle_seconds=600.0, listener=None, pulse=None):
    with listener or listen_in(path) as listening:
        more = {"kind": QueryServer, "loop": "web.server.handed:make_loop", "idle_seconds": idle_seconds}
        more["pulse"] = pulse
        with serving(tell("queries"), listening.dup(), **more) as (server, _, thread):
            yield server, thread


@pytest.fixture
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("q") / "s"  # short: paths of sockets have an end


@pytest.fixture
def address(path):
    with serving(tell("web", path)) as (_, address, _):
        yield address


def ask(address, asked="/rows?format=csv", method="GET", body=None, line=None, **headers):
    line = line or http.client.HTTPConnection(*address, timeout=20)
    line.request(method, asked, body=body, headers=headers)
    answer = line.getresponse()
    return answer, answer.read()


def test_the_other_server_answers_what_was_asked(path, address):
    line = http.client.HTTPConnection(*address, timeout=20)
    with answering_queries(path):
        first, _ = ask(address, "/here", line=line)
        mine = line.sock.getsockname()
        answer, body = ask(address, line=line, Authorization="Bearer x")
        again, _ = ask(address, "/here", line=line)

    said = json.loads(body)
    assert (said["by"], said["method"], said["query"], said["client"]) == ("queries", "GET", "format=csv", list(mine))
    assert ["authorization", "Bearer x"] in said["headers"]
    assert answer.headers["connection"] == "close"
    assert (first.status, again.status) == (200, 200)  # on a new connection


def test_a_large_answer_comes_whole_and_head_has_no_body(path, address):
    with answering_queries(path):
        answer, body = ask(address, "/large")
        head, nothing = ask(address, "/large", method="HEAD")

    assert (answer.status, len(body)) == (200, LARGE)
    assert (head.status, nothing) == (200, b"")


def test_nobody_listens_or_a_body_came(path, address):
    assert json.loads(ask(address)[1])["by"] == "web"
    with answering_queries(path):
        assert json.loads(ask(address, body=b"more")[1])["by"] == "web"
        assert json.loads(ask(address)[1])["by"] == "queries"


def test_who_asks_more_at_once_is_answered_here(path, address):
    """What came behind the request is read already; another process would not know of it."""
    two = b"GET /rows HTTP/1.1\r\nHost: lab\r\n\r\nGET /here HTTP/1.1\r\nHost: lab\r\nConnection: close\r\n\r\n"
    with answering_queries(path), socket.create_connection(address, timeout=20) as line:
        line.sendall(two)
        answers = read_all(line)

    assert answers.count(b'"by": "web"') == 2


def test_who_waits_at_the_socket_is_answered_by_who_comes(path, address):
    answers = []
    with ExitStack() as stack, listen_in(path) as listener:
        asking = [threading.Thread(target=lambda: answers.append(ask(address))) for _ in range(5)]
        for one in asking:
            one.start()
        threading.Event().wait(0.5)
        assert answers == []
        stack.enter_context(answering_queries(path, listener=listener.dup()))
        for one in asking:
            one.join(20)

    assert [json.loads(body)["by"] for _, body in answers] == ["queries"] * 5


def test_a_server_that_nobody_asks_ends_but_not_while_somebody_is_connected(path, address):
    with answering_queries(path, idle_seconds=2 * LOOK_SECONDS) as (_, thread):
        line = http.client.HTTPConnection(*address, timeout=20)
        line.request("GET", "/large")  # and does not read
        thread.join(5 * LOOK_SECONDS)
        runs_while_connected = thread.is_alive()
        line.close()
        thread.join(20)

        assert runs_while_connected
        assert not thread.is_alive()


def test_its_loop_beats_for_as_long_as_it_turns(path):
    pulse = os.eventfd(0)

    with answering_queries(path, pulse=pulse):
        beats = [os.eventfd_read(pulse) for _ in range(2)]  # each waits for one

    assert beats == [1, 1]


def test_who_asks_while_all_servers_end_is_answered(path, monkeypatch):
    """A web server that has not come to its end yet hands over still, and then no more."""
    monkeypatch.setattr(QueryServer, "linger_seconds", 4.0)
    with ExitStack() as stack:
        server, _ = stack.enter_context(answering_queries(path))
        web, address, _ = stack.enter_context(serving(tell("web", path)))
        lines = [http.client.HTTPConnection(*address, timeout=20) for _ in range(2)]
        for line in lines:
            line.connect()
        server.should_exit = True
        threading.Event().wait(2 * LOOK_SECONDS)
        before = ask(address, line=lines[0])
        web.should_exit = True
        wait_until(lambda: refuses(address), seconds=20, why="it ends")
        after = ask(address, line=lines[1])

    assert [json.loads(body)["by"] for _, body in (before, after)] == ["queries", "web"]


def test_who_waits_where_nobody_comes_any_more_is_told_so(path, address):
    answers = []
    with listen_in(path) as listener:
        listener.setblocking(True)
        asking = [threading.Thread(target=lambda: answers.append(ask(address))) for _ in range(2)]
        for one in asking:
            one.start()
        wait_until(lambda: refuse_waiting(listener), seconds=20, why="one is told")
        wait_until(lambda: refuse_waiting(listener) or len(answers) == 2, seconds=20, why="both are")
        for one in asking:
            one.join(20)

    assert [(answer.status, answer.headers["retry-after"]) for answer, _ in answers] == [(503, "5")] * 2
    assert {json.loads(body)["error"]["code"] for _, body in answers} == {"SERVICE_UNAVAILABLE"}


def test_clients_whom_no_web_server_took_are_told_so():
    request = b"GET /api/v1/whoami HTTP/1.1\r\nHost: lab\r\n" + b"X-More: y\r\n" * 500 + b"\r\n"
    with socket.create_server(("127.0.0.1", 0)) as listener, ExitStack() as lines:
        clients = [lines.enter_context(socket.create_connection(listener.getsockname(), 20)) for _ in range(3)]
        for client in clients[:2]:
            client.sendall(request)
        clients[2].sendall(request[:100])  # the rest is under way

        assert refuse_clients(listener) == 3
        answers = [read_all(client) for client in clients]

    assert [answer.partition(b"\r\n")[0] for answer in answers] == [b"HTTP/1.1 503 Service Unavailable"] * 3
    assert all(answer.endswith(b"}}") and b"retry-after: 5" in answer for answer in answers)


def refuses(address):
    try:
        socket.create_connection(address, timeout=20).close()
    except ConnectionRefusedError:
        return True
    return False


def test_who_is_told_of_no_server_answers_itself(monkeypatch):
    monkeypatch.delenv(QUERY_SOCKET, raising=False)

    assert find_query_server() is None
