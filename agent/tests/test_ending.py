"""Asked to end, the agent ends, whatever it is doing at that moment."""

import socket
import threading
from typing import Any

from agent.tests.gate import Answer, Gate
from agent.tests.lab import PATIENCE, Lab, wait_until
from instrument_watcher.ending import Ending

UPLOADS = 4


def test_asking_waits_for_no_lock():
    """A signal handler interrupts a thread that may hold the very lock that stopping needs."""
    ending, held, stopped = Ending(), threading.Lock(), threading.Event()

    def stop() -> None:
        with held:
            stopped.set()

    ending.stops(stop)
    with held:
        ending.ask()
        assert not stopped.is_set()

    assert stopped.wait(60)


def test_what_begins_after_the_end_was_asked_for_is_stopped_at_once():
    ending, stopped = Ending(), threading.Event()
    ending.ask()
    wait_until(ending.is_asked)

    ending.stops(stopped.set)

    assert stopped.is_set()


def test_an_agent_ends_that_is_just_taking_over_another_configuration(lab: Lab):
    lab.init()
    go_on = threading.Event()

    def hold_reports(method: str, path: str, body: Any) -> Answer | None:
        if method == "POST" and path.endswith("/runs"):
            go_on.wait(60)
        return None

    with Gate(lab.url, hold_reports) as gate:
        lab.set(server=gate.url)
        lab.write("R1/a.csv", b"a")
        agent = lab.start()
        wait_until(lambda: gate.bodies("/runs"), what="a report is under way")
        lab.set(heartbeat_seconds=2)
        wait_until(lambda: "the agent takes it over" in lab.output)

        lab.ask_to_end()
        wait_until(lab.heard_file.exists, what="it knows that it is to end")
        go_on.set()

        assert agent.wait(60 * PATIENCE) == 0
        assert lab.output.count("started") == 1


def test_an_agent_ends_while_all_its_uploads_wait_for_a_store_that_is_silent(lab: Lab):
    lab.init()
    with socket.create_server(("127.0.0.1", 0), backlog=16) as store:
        url = f"http://127.0.0.1:{store.getsockname()[1]}"
        with Gate(lab.url, told_url=url) as gate:
            lab.set(server=gate.url, parallel=UPLOADS)
            for number in range(UPLOADS):
                lab.write(f"R1/{number}.raw", b"%d" % number)
            lab.start()
            store.settimeout(60)
            under_way = [store.accept()[0] for _ in range(UPLOADS)]
            assert all(connection.recv(1) for connection in under_way)

            assert lab.stop() == 0
