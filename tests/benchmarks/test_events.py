"""Processor time of an event on its way to a receiver: written, turned into a delivery, sent."""

import subprocess
import sys
import time

import psutil
import pytest
from django.db import connection

from accounts.callers import Caller
from changes.models import WebhookDelivery
from changes.webhooks.catalogue import WebhookSettings, add_webhook
from changes.webhooks.fan_out import fan_out_changes
from changes.webhooks.lanes import serve_lane
from tests.changes.test_log import add
from wire.clock import now

pytestmark = [pytest.mark.benchmark, pytest.mark.django_db(transaction=True)]
EVENTS = 1_000
MAX_MS = 8.64  # of a million events a day on a tenth of a core
RECEIVER = """
import http.server, sys
class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()
    def log_message(self, *args): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
print(server.server_port, flush=True)
server.serve_forever()
"""


@pytest.fixture
def receiver():
    with subprocess.Popen([sys.executable, "-c", RECEIVER], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/"
        process.kill()


def used() -> tuple[float, float]:
    """Seconds of this process and of its database's."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        backend = psutil.Process(cursor.fetchone()[0]).cpu_times()
    return time.process_time(), backend.user + backend.system


def test_a_million_events_a_day_take_a_tenth_of_a_core(receiver):
    add_webhook(WebhookSettings(url=receiver), by=Caller(), at=now())
    marks = [used()]
    for _ in range(EVENTS):
        add()
    marks.append(used())
    fan_out_changes(at=now())
    marks.append(used())
    while serve_lane(at=now()):
        pass
    marks.append(used())

    for step, before, after in zip(("write", "turn into a delivery", "send"), marks, marks[1:], strict=False):
        ours, database = (1_000 * (b - a) / EVENTS for a, b in zip(before, after, strict=True))
        print(f"{step}: {ours:.2f} ms here, {database:.2f} ms in the database")
    total = sum(marks[-1]) - sum(marks[1])
    assert WebhookDelivery.objects.filter(status="succeeded").count() == EVENTS
    assert 1_000 * total / EVENTS < MAX_MS
