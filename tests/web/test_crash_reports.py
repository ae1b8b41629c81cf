"""A crash is told to where SENTRY_DSN leads, and tells nothing of anybody."""

import gzip
import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import brotli
import pytest

CRASH = """
import django
import config.wsgi
from django.conf import settings
from django.test import Client
import sentry_sdk

def crash(**_):
    secret_local = "a-local-secret"
    raise RuntimeError("Bearer abcdefgh.ijklmnop of it")

import web.health
web.health.has_database = crash
Client(raise_request_exception=False, SERVER_NAME="localhost").get(
    "/readyz?token=ids_a_secret_in_the_query_000000000000",
    headers={
        "X-Request-ID": "asked-by-a-test",
        "Authorization": "Bearer ids_secret_header_0000000000000",
        "Cookie": "sessionid=s3cr3t",
    },
    REMOTE_ADDR="203.0.113.9",
)
sentry_sdk.flush(30)
"""


UNPACKED_BY = {
    "br": brotli.decompress,
    "gzip": gzip.decompress,
    "identity": bytes,
}  # whichever is there


class Sink(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        text = UNPACKED_BY[self.headers.get("Content-Encoding", "identity")](body)
        self.server.received.append((self.path, text.decode()))
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


@pytest.fixture
def sink():
    with ThreadingHTTPServer(("127.0.0.1", 0), Sink) as server:
        server.received = []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.mark.slow
def test_a_crash_is_told_with_its_request_and_without_secrets_and_persons(sink):
    environ = os.environ | {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "SENTRY_DSN": f"http://public@127.0.0.1:{sink.server_address[1]}/7",
        "NO_PROXY": "127.0.0.1",
    }

    done = subprocess.run([sys.executable, "-c", CRASH], env=environ, capture_output=True, text=True, timeout=400)

    assert done.returncode == 0, done.stderr
    (path, text), *more = sink.received
    assert (path, more) == ("/api/7/envelope/", [])
    event = json.loads(text.splitlines()[2])
    (error,) = event["exception"]["values"]
    assert (error["type"], error["value"]) == ("RuntimeError", "Bearer [secret] of it")
    assert {name: event["tags"][name] for name in ("request_id", "route", "role")} == {
        "request_id": "asked-by-a-test",
        "route": "readyz",
        "role": "web",
    }
    hidden = ("a-local-secret", "abcdefgh", "ids_secret", "a_secret_in", "s3cr3t", "203.0.113.9", os.uname().nodename)
    assert [word for word in hidden if word in text] == []
