"""What a unit waits for after it started a web server."""

import http.server
import threading

import pytest

from tests.ports import free_port
from web.ready import find_obstacle, main


@pytest.fixture
def answering():
    """answering([503, 200]) is the port of a server that answers so, one after the other, then as the last."""
    servers = []

    def start(statuses):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(statuses.pop(0) if len(statuses) > 1 else statuses[0])
                self.end_headers()
                self.wfile.write(b'{"status": "unavailable"}')

            def log_message(self, *_):
                pass

        server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server.server_port

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def test_it_waits_until_the_server_is_ready(answering):
    main(answering([503, 503, 200]))


def test_it_gives_up_and_says_why(answering):
    with pytest.raises(SystemExit, match=r"not ready: 503 .*unavailable"):
        main(answering([503]), seconds=0)


def test_nobody_there_is_an_obstacle():
    assert "refused" in find_obstacle(free_port())
