"""A request that is passed on to the server of queries is answered as that one answers, or in words."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from web.lanes.forwarding import Forwarder, QueriesUnavailable, find_query_server
from web.server.query_server import QUERY_SOCKET
from wire.asgi import ClientDisconnected

WHOLE = b"HTTP/1.1 200 OK\r\nDate: x\r\nConnection: close\r\nX-Request-Id: 7\r\nContent-Length: 4\r\n\r\nrows"
CHUNKED = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/csv\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nrows\r\n3\r\n,on\r\n0\r\n\r\n"
)
HEAD_ONLY = b"HTTP/1.1 200 OK\r\nContent-Length: 80000000\r\n\r\n"


def scope(method="GET", headers=()):
    return {
        "type": "http",
        "method": method,
        "scheme": "https",
        "raw_path": b"/api/v1/datasets/%C3%A9/rows",
        "query_string": b"format=csv",
        "headers": [(b"host", b"lab"), *headers],
        "client": ("192.0.2.7", 4711),
    }


@asynccontextmanager
async def answering(path, *answers, pause=0.0, asked=None, left=None):
    """A server that writes these one after the other, whatever is asked, and ends the connection."""

    async def answer(reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        (asked if asked is not None else []).append(head)
        for part in answers:
            writer.write(part)
            await writer.drain()
            await asyncio.sleep(pause)
        if left is not None:
            await reader.read()
            left.set()
        writer.close()

    async with await asyncio.start_unix_server(answer, path) as server:
        yield server


async def pass_on(path, scope, *, leaves=False):
    sent = []

    async def receive():
        await asyncio.sleep(0.05 if leaves else 60)
        return {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    await Forwarder(str(path))(scope, receive, send)
    body = b"".join(message["body"] for message in sent[1:])
    assert [message["type"] for message in sent] == ["http.response.start", *["http.response.body"] * (len(sent) - 1)]
    assert [message["more_body"] for message in sent[1:]] == [True] * (len(sent) - 2) + [False]
    return sent[0]["status"], sent[0]["headers"], body


@pytest.fixture
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("q") / "s"  # short: paths of sockets have an end


def run(path, *answers, method="GET", headers=(), leaves=False, **more):
    async def go():
        async with answering(path, *answers, **more):
            return await pass_on(path, scope(method, headers), leaves=leaves)

    return asyncio.run(asyncio.wait_for(go(), 20))


def test_an_answer_comes_as_it_is(path):
    assert run(path, WHOLE) == (200, [(b"x-request-id", b"7"), (b"content-length", b"4")], b"rows")


def test_a_stream_comes_piece_by_piece(path):
    cut = [CHUNKED[place : place + 5] for place in range(0, len(CHUNKED), 5)]

    assert run(path, *cut) == (200, [(b"content-type", b"text/csv")], b"rows,on")


def test_of_head_only_the_head_comes(path):
    assert run(path, HEAD_ONLY, method="HEAD")[::2] == (200, b"")


def test_the_other_side_learns_who_asks_from_us_alone(path):
    asked = []
    forged = [(b"x-forwarded-for", b"10.0.0.1"), (b"forwarded", b"for=10.0.0.1"), (b"connection", b"keep-alive")]

    run(path, WHOLE, asked=asked, headers=[*forged, (b"authorization", b"Bearer x")])

    assert asked == [
        b"GET /api/v1/datasets/%C3%A9/rows?format=csv HTTP/1.1\r\nhost: lab\r\nauthorization: Bearer x\r\n"
        b"x-forwarded-for: 192.0.2.7\r\nx-forwarded-proto: https\r\nconnection: close\r\n\r\n"
    ]


@pytest.mark.parametrize("begun", [(), (b"HTTP/1.1 200 OK\r\nConte",), (b"what?",)])
def test_an_answer_that_does_not_begin_is_refused_in_words(path, begun):
    with pytest.raises(QueriesUnavailable) as refusal:
        run(path, *begun)

    assert (refusal.value.status, refusal.value.headers["Retry-After"]) == (503, "5")


@pytest.mark.parametrize("answer", [(WHOLE[:-2],), (CHUNKED[:-9],), (CHUNKED[:-12], b"what?\r\n")])
def test_an_answer_that_breaks_off_is_no_whole_one(path, answer):
    with pytest.raises(EOFError):
        run(path, *answer, pause=0.1)


def test_nobody_listens(path):
    with pytest.raises(QueriesUnavailable):
        asyncio.run(pass_on(path, scope()))


def test_the_connection_ends_when_the_client_leaves(path):
    left = asyncio.Event()

    with pytest.raises(ClientDisconnected):
        run(path, CHUNKED[:-5], leaves=True, left=left)

    assert left.is_set()


def test_who_is_told_of_no_server_answers_itself(monkeypatch):
    monkeypatch.delenv(QUERY_SOCKET, raising=False)

    assert find_query_server() is None
