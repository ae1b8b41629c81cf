"""Request bodies over real sockets: their limits, their time, and how they reach the application."""

from contextlib import ExitStack, contextmanager

import pytest
import requests

from tests.faults.journal import wait_until
from tests.web.front_door import CREDENTIAL, error_of, front_door, open_request, read_answer
from web.server.bodies import MIB, BodyBudget, body_limit


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

    told = requests.post(f"{url}/x", data=body, headers=CREDENTIAL, timeout=30).json()

    assert told["body"].encode("latin-1") == body
    assert told["CONTENT_LENGTH"] == str(MIB)


def test_a_chunked_body_arrives_with_its_length(url):
    told = requests.post(f"{url}/x", data=iter([b"hello ", b"world"]), timeout=30).json()

    assert (told["body"], told["CONTENT_LENGTH"]) == ("hello world", "11")
    assert "HTTP_TRANSFER_ENCODING" not in told


def test_a_body_over_the_limit_is_413(url, echo):
    answer = requests.post(f"{url}/api/v1/instruments", data=bytes(MIB + 1), headers=CREDENTIAL, timeout=30)

    assert error_of(answer) == (413, "PAYLOAD_TOO_LARGE")
    assert answer.json()["error"]["details"] == {"limit": MIB}
    assert echo.paths == []


def test_a_chunked_body_over_the_limit_is_413(url, echo):
    answer = requests.post(f"{url}/x", data=iter([bytes(65536)] * 40), headers=CREDENTIAL, timeout=30)

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
        status, answer = read_answer(connection)

    assert status == 408
    assert b'"code": "REQUEST_TIMEOUT"' in answer
    assert echo.paths == []


def test_a_client_that_goes_away_reaches_nobody(url, echo):
    open_request(url, "POST /gone HTTP/1.1\r\nContent-Length: 11", body=b"hello").close()

    assert requests.get(f"{url}/here", timeout=30).status_code == 200
    assert echo.paths == ["/here"]


@pytest.mark.parametrize(
    ("name", "value"),
    [("Authorization", "Bearer ids_x"), ("Authorization", f"Bearer ids_{'a' * 42}"), ("Authorization", "Basic eDp5"),
     ("Cookie", "theme=dark"), ("Cookie", "sessionid=short"), ("X-None", "at all")],
)  # fmt: skip
def test_without_a_well_formed_credential_a_body_has_64_kib(url, echo, name, value):
    answer = requests.post(f"{url}/x", data=bytes(65_537), headers={name: value}, timeout=30)

    assert error_of(answer) == (413, "PAYLOAD_TOO_LARGE")
    assert answer.json()["error"]["details"] == {"limit": 65_536}
    assert echo.paths == []


@pytest.mark.parametrize(
    ("name", "value"),
    [*CREDENTIAL.items(), ("Authorization", "Bearer " + "o" * 30), ("Cookie", "theme=dark; sessionid=" + "k" * 32)],
    ids=["token", "bearer", "session"],
)
def test_with_one_it_has_more(url, name, value):
    assert requests.post(f"{url}/x", data=bytes(65_537), headers={name: value}, timeout=30).status_code == 200


def test_64_kib_need_no_credential(url):
    assert requests.post(f"{url}/x", data=bytes(65_536), timeout=30).status_code == 200


def test_large_bodies_under_way_have_a_budget_that_small_ones_do_not_wait_for(echo):
    budget = BodyBudget(MIB)
    with front_door(echo, body_budget=budget) as url, ExitStack() as held:
        for _ in range(2):  # a third is too much
            held.enter_context(hold_large_body(url, size=400_000))
        wait_until(lambda: budget.held == 800_000, seconds=20, why="both are read", pause=0.01)
        large = requests.post(f"{url}/x", data=bytes(400_000), headers=CREDENTIAL, timeout=30)
        small = requests.post(f"{url}/x", data=bytes(65_536), timeout=30)
        most = budget.held

    assert error_of(large) == (503, "SERVICE_UNAVAILABLE")
    assert large.headers["Retry-After"] == "2"
    assert (small.status_code, most) == (200, 800_000)
    assert budget.held == 0


def test_what_was_answered_holds_nothing(echo):
    budget = BodyBudget(MIB)
    with front_door(echo, body_budget=budget) as url:
        told = [requests.post(f"{url}/x", data=bytes(MIB), headers=CREDENTIAL, timeout=30) for _ in range(3)]
        crashed = requests.post(f"{url}/crash", data=bytes(MIB), headers=CREDENTIAL, timeout=30)

    assert [answer.status_code for answer in (*told, crashed)] == [200, 200, 200, 500]
    assert budget.held == 0


def test_a_body_without_a_length_reserves_all_that_its_route_allows(echo):
    budget = BodyBudget(MIB - 1)
    with front_door(echo, body_budget=budget) as url:
        answer = requests.post(f"{url}/x", data=iter([bytes(65_537)]), headers=CREDENTIAL, timeout=30)

    assert error_of(answer) == (503, "SERVICE_UNAVAILABLE")


@contextmanager
def hold_large_body(url, *, size):
    """A connection that has sent more than a small body of `size` bytes, which the service has read or refused."""
    head = f"POST /x HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: {size}\r\n"
    head += "".join(f"{name}: {value}" for name, value in CREDENTIAL.items())
    with open_request(url, head) as connection:
        connection.recv(65536)
        connection.sendall(bytes(70_000))
        yield connection
