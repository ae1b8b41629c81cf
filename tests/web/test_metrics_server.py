"""A machine without web servers tells its figures through a worker."""

import threading
import time
import urllib.error
import urllib.request

import pytest
from django.core.exceptions import ImproperlyConfigured

from tests.ports import free_port
from web.telemetry import metrics_server
from web.telemetry.metrics_server import MetricsHandler, MetricsServer, parse_address, serve_metrics
from wire.telemetry.metrics import count_task

DEADLINE_SECONDS = 120


def fetch(port, path="/metrics"):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=30) as answer:
        return answer.headers["Content-Type"], answer.read().decode()


@pytest.fixture
def server():
    with MetricsServer(("127.0.0.1", 0), MetricsHandler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server.server_address[1]
        server.shutdown()


def test_it_tells_what_was_counted_and_what_runs(server):
    count_task("files.sweep", result="done", seconds=0.2)

    content_type, text = fetch(server)

    assert content_type.startswith("text/plain; version=")
    assert 'ids_tasks_total{result="done",task="files.sweep"}' in text
    assert 'ids_build_info{python="' in text
    assert "ids_queue_depth" not in text  # which a web server asks of the database


def test_it_says_that_it_is_alive_and_nothing_else(server):
    assert fetch(server, "/livez")[1] == "ok\n"
    with pytest.raises(urllib.error.HTTPError, match="404"):
        fetch(server, "/etc/passwd")


def test_who_comes_second_answers_once_the_first_has_ended(monkeypatch):
    monkeypatch.setattr(metrics_server, "TAKE_OVER_SECONDS", 0.05)
    port = free_port()
    with MetricsServer(("127.0.0.1", port), MetricsHandler):  # holds the address
        assert serve_metrics(f"127.0.0.1:{port}").is_alive()

    assert "ids_build_info" in fetch_when_it_answers(port)


def fetch_when_it_answers(port):
    deadline = time.monotonic() + DEADLINE_SECONDS
    while True:
        try:
            return fetch(port)[1]
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


@pytest.mark.parametrize("listen", ["9101", ":9101", "127.0.0.1:", "127.0.0.1:high", "127.0.0.1:70000"])
def test_an_address_that_is_none_stops_the_start(listen):
    with pytest.raises(ImproperlyConfigured, match="METRICS_LISTEN"):
        parse_address(listen)
