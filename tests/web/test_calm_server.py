"""Who is connected when the server ends is answered."""

import socket
import threading
import time

import pytest
import uvicorn

from tests.faults.journal import wait_until
from tests.live_server import empty_app
from tests.web.front_door import read_all
from web.server.calm_server import LOOK_SECONDS, CalmServer
from web.server.http import BoundedHttp

WAITING = 5
ASK = b"POST /x HTTP/1.1\r\nHost: lab\r\nContent-Length: 0\r\n\r\n"


@pytest.fixture
def blocking():
    return threading.Event()


@pytest.fixture
def server(blocking):
    async def block_the_loop(scope, receive, send):
        if scope["type"] == "http" and scope["path"] == "/block":
            blocking.set()
            time.sleep(LOOK_SECONDS + 1)  # as a busy process does
        await empty_app(scope, receive, send)

    config = uvicorn.Config(block_the_loop, port=0, http=BoundedHttp, lifespan="on", log_config=None, access_log=False)
    running, sock = CalmServer(config), config.bind_socket()
    running.address = sock.getsockname()
    thread = threading.Thread(target=running.run, args=([sock],))
    thread.start()
    wait_until(lambda: running.started, seconds=20, why="it listens")
    yield running
    running.should_exit = True
    thread.join(20)
    assert not thread.is_alive()


def test_connections_nobody_has_accepted_yet_are_answered(server, blocking):
    held = socket.create_connection(server.address, timeout=20)
    held.sendall(b"GET /block HTTP/1.1\r\nHost: lab\r\n\r\n")
    assert blocking.wait(20)
    waiting = [socket.create_connection(server.address, timeout=20) for _ in range(WAITING)]
    for connection in waiting:
        connection.sendall(ASK)
    server.should_exit = True

    answers = [read_all(connection) for connection in [held, *waiting]]

    assert [answer.split(b" ", 2)[1] for answer in answers] == [b"404"] * (WAITING + 1)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(server.address, timeout=20)
