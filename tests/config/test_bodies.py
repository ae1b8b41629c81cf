"""Request bodies over real sockets: their limits, their time, and how they reach the application."""

import pytest
import requests

from config.bodies import MIB, body_limit
from tests.config.front_door import error_of, front_door, open_request


@pytest.mark.parametrize(
    ("method", "path", "limit"),
    [
        ("POST", "/api/v1/instruments", MIB),
        ("POST", "/api/v1/instruments/hplc-1/runs", 4 * MIB),
        ("PATCH", "/api/v1/instruments/hplc-1/runs/run 1", 4 * MIB),
        ("PUT", "/api/v1/instruments/hplc-1/runs/run 1", MIB),
        ("POST", "/api/v1/instruments/hplc-1/runs/run 1/files", MIB),
        ("POST", "/api/v1/watchers/0193/events", 2 * MIB),
        ("POST", "/api/v1/watchers/0193/heartbeat", MIB),
        ("POST", "/mcp", MIB),
    ],
)
def test_the_limit_of_a_body_goes_by_route(method, path, limit):
    assert body_limit(method, path) == limit


def test_a_body_reaches_the_application_whole(url):
    body = bytes(range(256)) * 4096

    told = requests.post(f"{url}/x", data=body, timeout=30).json()

    assert told["body"].encode("latin-1") == body
    assert told["CONTENT_LENGTH"] == str(MIB)


def test_a_chunked_body_arrives_with_its_length(url):
    told = requests.post(f"{url}/x", data=iter([b"hello ", b"world"]), timeout=30).json()

    assert (told["body"], told["CONTENT_LENGTH"]) == ("hello world", "11")
    assert "HTTP_TRANSFER_ENCODING" not in told


def test_a_body_over_the_limit_is_413(url, echo):
    answer = requests.post(f"{url}/api/v1/instruments", data=bytes(MIB + 1), timeout=30)

    assert error_of(answer) == (413, "PAYLOAD_TOO_LARGE")
    assert answer.json()["error"]["details"] == {"limit": MIB}
    assert echo.paths == []


def test_a_chunked_body_over_the_limit_is_413(url, echo):
    answer = requests.post(f"{url}/x", data=iter([bytes(65536)] * 40), timeout=30)

    assert error_of(answer) == (413, "PAYLOAD_TOO_LARGE")
    assert echo.paths == []


def test_a_client_far_over_the_limit_still_reads_its_answer(url):
    assert error_of(requests.post(f"{url}/x", data=bytes(32 * MIB), timeout=30)) == (413, "PAYLOAD_TOO_LARGE")


def test_a_client_that_asks_first_need_not_send_too_much(url):
    with open_request(url, "POST /x HTTP/1.1\r\nContent-Length: 9999999\r\nExpect: 100-continue") as connection:
        answer = connection.recv(65536)

    assert answer.startswith(b"HTTP/1.1 413 ")


def test_a_client_that_asks_first_is_told_to_go_on(url):
    with open_request(url, "POST /x HTTP/1.1\r\nContent-Length: 5\r\nExpect: 100-continue") as connection:
        first = connection.recv(65536)
        connection.sendall(b"hello")
        then = connection.recv(65536)

    assert first == b"HTTP/1.1 100 Continue\r\n\r\n"
    assert then.startswith(b"HTTP/1.1 200 ")


def test_a_body_that_does_not_come_is_408(echo):
    with (
        front_door(echo, body_seconds=0.2) as url,
        open_request(url, "POST /x HTTP/1.1\r\nContent-Length: 11", body=b"hello") as connection,
    ):
        answer = connection.recv(65536)

    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b'"code": "REQUEST_TIMEOUT"' in answer
    assert echo.paths == []


def test_a_client_that_goes_away_reaches_nobody(url, echo):
    open_request(url, "POST /gone HTTP/1.1\r\nContent-Length: 11", body=b"hello").close()

    assert requests.get(f"{url}/here", timeout=30).status_code == 200
    assert echo.paths == ["/here"]
