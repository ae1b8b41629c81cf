"""Ctrl-C: a command ends soon, in one sentence, and says to go on only where that is so."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path

from client.tests import shapes
from client.tests.desk import Answer, listed, refusal
from client.tests.test_changes import page

SOURCE = Path(__file__).parents[1] / "src"


@contextmanager
def slow_store():
    """Its address, and an event that is set when somebody sends: a line that takes minutes for a file."""
    is_sending = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def take():
            with suppress(OSError), server.accept()[0] as line:
                while line.recv(4_096):
                    is_sending.set()
                    time.sleep(0.05)

        threading.Thread(target=take, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/store/7", is_sending


def begin(desk, *arguments):
    command = [sys.executable, "-m", "instrument_data.cli.main", *map(str, arguments)]
    variables = {"PYTHONPATH": str(SOURCE), "IDS_URL": desk.url, "IDS_TOKEN": "ids_x"}
    return subprocess.Popen(command, env=os.environ | variables, stderr=subprocess.PIPE, text=True)


def test_an_interrupted_upload_ends_soon_and_says_how_to_go_on(desk, tmp_path):
    desk.tell("GET", "/instruments", listed([{"id": "reader", "display_name": "Reader"}]))
    desk.tell("POST", "/instruments/reader/runs", Answer(shapes.run("large"), 201))
    (tmp_path / "large.raw").write_bytes(bytes(60_000_000))
    with slow_store() as (address, is_sending):
        ticket = {
            "file_id": 7,
            "already_uploaded": False,
            "upload_type": "single",
            "upload_url": address,
            "headers": {},
        }
        desk.tell("POST", "/instruments/reader/runs/large/request-upload-url", Answer(ticket))
        sending = begin(desk, "put", tmp_path / "large.raw", "-i", "reader")
        assert is_sending.wait(30)

        sending.send_signal(signal.SIGINT)
        told = sending.communicate(timeout=20)[1]

    assert (sending.returncode, told) == (130, "Interrupted. The same command goes on where it stopped.\n")


def test_interrupted_watching_says_nothing_of_going_on(desk):
    desk.tell("GET", "/changes", page(following=7), refusal("SERVICE_UNAVAILABLE", "Away.", status=503))
    watching = begin(desk, "watch")
    while len(desk.asked("/changes")) < 2:
        assert watching.poll() is None

    watching.send_signal(signal.SIGINT)

    assert (watching.communicate(timeout=20)[1], watching.returncode) == ("Interrupted.\n", 130)
