"""Those who sign in wait for each other, and nobody else waits for them."""

import asyncio
import threading
from contextlib import ExitStack

import pytest
import requests

from tests.faults.journal import wait_until
from tests.live_server import address_of, listening, serving
from tests.web.front_door import THREADS
from web.lanes.sign_in import MAX_PLACES, MAX_PLACES_OF_ADDRESS, SignInLane, SignInsBusy, is_sign_in
from web.server.bridge import serve_in_threads
from web.server.dispatch import Dispatcher


def ask(lane, address):
    return asyncio.ensure_future(lane({"client": (address, 1)}, None, no_answer))


async def no_answer(message):
    return None


async def fill(lane, addresses):
    """Those who wait, once each has its place or was refused."""
    waiting = [ask(lane, address) for address in addresses]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return waiting


async def refused(asking):
    try:
        await asking
    except SignInsBusy:
        return True
    return False


def walk(addresses, late):
    """Who of `late` is refused while everybody in `addresses` waits."""

    async def run():
        door = asyncio.Event()

        async def hashing(scope, receive, send):
            await door.wait()

        lane = SignInLane(hashing, delay_seconds=0)
        waiting = await fill(lane, addresses)
        asked = await fill(lane, late)
        door.set()
        answers = [await refused(one) for one in asked]
        await asyncio.gather(*waiting)
        return answers, lane

    return asyncio.run(run())


def test_one_address_never_fills_the_lane():
    answers, _ = walk(["10.0.0.1"] * MAX_PLACES_OF_ADDRESS, ["10.0.0.1", "10.0.0.2"])

    assert answers == [True, False]


def test_who_finds_no_place_is_refused():
    answers, _ = walk([f"10.0.0.{n}" for n in range(MAX_PLACES)], ["10.0.1.1"])

    assert answers == [True]


def test_places_are_given_back():
    _, lane = walk(["10.0.0.1"] * MAX_PLACES_OF_ADDRESS, [])

    assert not lane._places


def test_a_flood_of_sign_ins_holds_nobody_elses_thread(settings):
    door, entered = threading.Event(), threading.Event()

    def sign_in(environ, start_response):
        entered.set()
        door.wait(120)
        start_response("200 OK", [])
        return [b""]

    def others(environ, start_response):
        start_response("200 OK", [])
        return [b"ok"]

    django = serve_in_threads(others, threads=THREADS)
    lane = SignInLane(serve_in_threads(sign_in, threads=1), delay_seconds=0)
    with listening() as sock, ExitStack() as done:
        done.callback(door.set)
        url = address_of(sock)
        with serving(Dispatcher(django=django, lifespan=django, lanes=[lane]), sock):
            flood = [threading.Thread(target=post, args=[url]) for _ in range(16)]
            for one in flood:
                one.start()
            assert entered.wait(30)
            wait_until(lambda: lane._places.total() == MAX_PLACES_OF_ADDRESS, seconds=30, why="no place is left")
            answers = [requests.post(f"{url}/api/v1/heartbeat", data=b"{}", timeout=20).status_code for _ in range(20)]
            busy = post(url)
            door.set()
            for one in flood:
                one.join()

    assert answers == [200] * 20
    assert (busy.status_code, busy.headers["Retry-After"]) == (429, "5")
    assert "Too many attempts" in busy.text


def post(url):
    return requests.post(f"{url}/accounts/login/", data={"login": "a@lab.example", "password": "x"}, timeout=60)


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("POST", "/accounts/login/", True),
        ("GET", "/accounts/login/", False),
        ("POST", "/accounts/first/secret/", True),
        ("POST", "/accounts/invited/secret/", True),
        ("POST", "/accounts/password/id/secret/", True),
        ("POST", "/settings/password", True),
        ("POST", "/oauth/token", False),
        ("POST", "/api/v1/tokens", False),
    ],
)
def test_what_hashes_goes_through_the_lane(method, path, expected):
    assert is_sign_in({"method": method, "path": path}) is expected
