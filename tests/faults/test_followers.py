"""A script that polls, one that listens and one that receives webhooks see the same runs once, whatever dies."""

import json
import signal
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count

import instrument_data as ids
import pytest
import requests
from standardwebhooks.webhooks import Webhook

from tests.faults.conftest import signal_all
from tests.faults.journal import wait_until
from tests.sign_in import sign_in

pytestmark = pytest.mark.faults

RUNS, SCRIPTS, CREATED = 1_000, 6, "run.created"
KILLED = ("web", "worker", "postgres", "valkey")
PAUSE, ARRIVE_SECONDS = 0.05, 90


class Follower:
    """A thread with the client; what it was told, in order. It is stopped with the process."""

    def __init__(self, service, token, after, *, poll=None):
        self.told = []
        self.fault = None
        self.thread = threading.Thread(target=self._follow, args=[service.url, token, after, poll], daemon=True)
        self.thread.start()

    def _follow(self, url, token, after, poll):
        try:
            with ids.connect(url, token, patience=120) as lab:
                for change in lab.watch(after=after, types=CREATED, poll=poll):
                    self.told.append(change.run_id)
        except Exception as fault:
            self.fault = fault
            raise


class Receiver:
    """Of webhooks, as one would write it: verified by the published library, known ids passed over."""

    def __init__(self):
        self.secret, self.told, self.ids, self.again = None, [], set(), 0
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                receiver.take(Webhook(receiver.secret).verify(body, headers), headers["webhook-id"])
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://localhost:{self.server.server_port}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def take(self, message, message_id):
        if message_id in self.ids:
            self.again += 1
            return
        self.ids.add(message_id)
        self.told.append(message["data"]["run_id"])


@pytest.fixture
def receiver(service):
    played = Receiver()
    admin = sign_in(service, "admin@lab.example", "--admin")
    wanted = {"url": played.url, "event_types": [CREATED]}
    made = admin.post(f"{service.url}/api/v1/webhooks", json=wanted, timeout=60)
    assert made.status_code == 201, made.text
    played.secret = made.json()["secret"]
    yield played
    played.server.shutdown()


def report(url, token, name):
    """As a script would: asked again until it is acknowledged. What it has to be asked for again."""
    headers, asked = {"Authorization": f"Bearer {token}"}, 0
    while True:
        asked += 1
        try:
            address = f"{url}/api/v1/instruments/faults-1/runs"
            answer = requests.post(address, json={"run_id": name}, headers=headers, timeout=30)
        except requests.RequestException:
            answer = None
        if answer is not None and answer.status_code in {200, 201}:
            return asked - 1
        time.sleep(PAUSE)


def kill_in_turn(service):
    """One part after the other, each when the service is whole again; what was hit."""
    hits = Counter()
    for part in KILLED:
        time.sleep(2)
        hits[part] += signal_all(service.pids(part)[:1], signal.SIGKILL)
        wait_until(service.is_ready, seconds=120, why="the service is ready again")
    return hits


def name_runs(killing):
    """As many as are wanted, and on until all have been killed: a fast machine is through before."""
    for number in count():
        if number >= RUNS and killing.done():
            return
        yield f"followed-{number}"


def test_three_kinds_of_followers_see_the_same_runs_once(service, token, call, receiver, tell):
    after = call("GET", "/changes?after=now").json()["next"]
    followers = [Follower(service, token, after, poll=0.5), Follower(service, token, after)]
    names, repeated, taking = [], [], threading.Lock()
    began = time.monotonic()

    def report_on(source):
        while True:
            with taking:
                name = next(source, None)
            if name is None:
                return
            names.append(name)
            repeated.append(report(service.url, token, name))

    with ThreadPoolExecutor(SCRIPTS + 1) as scripts:
        killing = scripts.submit(kill_in_turn, service)
        source = name_runs(killing)
        list(scripts.map(report_on, [source] * SCRIPTS))
        hits = killing.result()
    stored = time.monotonic() - began
    everybody = [*followers, receiver]
    wait_until(
        lambda: all(len(one.told) >= len(names) for one in everybody) or any(one.fault for one in followers),
        seconds=ARRIVE_SECONDS,
        why=f"{len(names)} each: {json.dumps([len(one.told) for one in everybody])}",
    )
    time.sleep(2)  # what came twice would come now

    asked = f"{len(names)} runs in {stored:.0f} s, {sum(repeated)} repeated"
    tell(f"{asked}, killed {dict(hits)}; {receiver.again} messages again")
    assert [one.fault for one in followers] == [None, None]
    assert [Counter(one.told) for one in everybody] == [Counter(names)] * 3
    assert followers[0].told == followers[1].told
    assert min(hits[part] for part in set(KILLED)) > 0
