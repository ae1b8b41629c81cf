"""Ports for servers of the tests' own."""

import os
import socket
import threading
from contextlib import suppress
from itertools import count

FIRST, MANY = 20_000, 10_000  # below those that the kernel gives to whoever asks for any, while a server here is down
_turns = count(os.getpid() * 61)  # two processes that test do not go the same way
_choosing = threading.Lock()


def free_port() -> int:
    """Nobody's; this process is given another one each time."""
    with _choosing:
        for turn in _turns:
            port = FIRST + turn % MANY
            with suppress(OSError), socket.create_server(("127.0.0.1", port)):
                return port
    raise AssertionError("the turns have no end")
