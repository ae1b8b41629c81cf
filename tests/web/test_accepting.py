"""Web servers that share a socket: one connection at a time, and the one with fewer is before the others."""

import asyncio
import socket
from typing import Any

import pytest

from web.server.accepting import PATIENCE, WITHOUT_FILES_SECONDS, SharedListener, make_loop


class HandDrivenLoop:
    """Notes what a loop is asked for; the test does it."""

    def __init__(self):
        self.readers, self.later, self.opened = [], [], 0

    def add_reader(self, file, call):
        self.readers.append(call)

    def remove_reader(self, file):
        self.readers.clear()

    def call_later(self, seconds, call):
        self.later.append((seconds, call))

    async def connect_accepted_socket(self, make_protocol, connection, *, ssl):
        make_protocol()
        connection.close()

    def create_task(self, opening):
        opening.close()
        self.opened += 1
        return asyncio.Future(loop=asyncio.new_event_loop())

    def turn(self):
        """The listener is readable: how long it waits, once it has looked."""
        (call,) = self.readers
        call()
        (waited, accept) = self.later.pop()
        accept()
        (pause, watch) = self.later.pop()
        watch()
        return waited, pause


class Protocol(asyncio.Protocol):
    connections: set[Any] = set()

    def connection_made(self, transport):
        transport.write(b"here")
        transport.close()


@pytest.fixture
def listening():
    with socket.create_server(("127.0.0.1", 0)) as sock:
        yield sock


@pytest.fixture
def connect(listening):
    opened = []

    def connect():
        opened.append(socket.create_connection(listening.getsockname(), timeout=10))
        return opened[-1]

    yield connect
    for one in opened:
        one.close()


def listen(loop, sock, connections=()):
    protocol = Protocol()
    protocol.connections = connections
    return SharedListener(loop, lambda: protocol, sock, backlog=10, ssl=None)


def test_one_is_taken_at_a_time(listening, connect):
    loop = HandDrivenLoop()
    listener = listen(loop, listening)
    connect(), connect()

    loop.turn()
    assert loop.opened == 1

    loop.turn()
    assert loop.opened == 2
    listener.close()


def test_who_has_more_waits_longer(listening, connect):
    loop, connections = HandDrivenLoop(), set()
    listener = listen(loop, listening, connections)
    waited = []
    for number in range(4):
        connect()
        waited.append(loop.turn()[0])
        connections.add(number)

    assert waited == [*PATIENCE, PATIENCE[-1]]
    listener.close()


def test_what_another_server_took_is_nothing(listening):
    loop = HandDrivenLoop()
    listener = listen(loop, listening)

    assert loop.turn() == (0.0, 0.0)
    assert loop.opened == 0
    listener.close()


def test_without_files_it_waits(listening, connect, monkeypatch):
    loop = HandDrivenLoop()
    listener = listen(loop, listening)

    def fail(self):
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(socket.socket, "accept", fail)

    assert loop.turn() == (0.0, WITHOUT_FILES_SECONDS)
    listener.close()


def test_once_closed_it_takes_nothing(listening, connect):
    loop = HandDrivenLoop()
    listener = listen(loop, listening)
    connect()
    (look,) = loop.readers
    look()
    listener.close()
    (_, accept) = loop.later.pop()

    accept()

    assert (loop.opened, loop.later, loop.readers) == (0, [], [])


def test_a_server_of_it_answers_many(listening, connect):
    loop = make_loop()

    def ask():
        return [connection.recv(10) for connection in [connect() for _ in range(20)]]

    async def serve():
        server = await loop.create_server(Protocol, sock=listening, backlog=100, ssl=None)
        answers = await asyncio.to_thread(ask)
        server.close()
        await server.wait_closed()
        return answers

    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        assert runner.run(serve()) == [b"here"] * 20
