"""How often a caller may ask (docs/interface.md, Limits)."""

import logging
import os
import signal
import time

import pytest
from django.core.cache import cache
from django.test import override_settings

from accounts import rate_limits as rates
from accounts.rate_limits import RateLimit, count_hit, reset_count
from operations.embedded import processes
from operations.embedded.valkey import Valkey
from tests.clients import Api
from tests.factories import make_token, make_token_with_text, make_watcher
from tests.races import at_once
from wire.cache import FailOpenRedisCache
from wire.errors import RateLimited

FEW = RateLimit("test", max_hits=3, seconds=600)  # longer than any test may take
CACHE = {"BACKEND": "wire.cache.FailOpenRedisCache"}
AWAY = override_settings(CACHES={"default": CACHE | {"LOCATION": "unix:///nowhere/valkey.sock"}})


@pytest.fixture
def few_requests(monkeypatch):
    monkeypatch.setattr(rates, "REQUESTS", RateLimit("requests", max_hits=3, seconds=600))


def exhaust(who: str) -> None:
    for _ in range(FEW.max_hits):
        count_hit(FEW, who)


def test_a_caller_has_to_wait_until_there_is_room():
    exhaust("a")

    with pytest.raises(RateLimited) as refusal:
        count_hit(FEW, "a")

    assert 1 <= int(refusal.value.headers["Retry-After"]) <= FEW.seconds


def test_others_are_free():
    exhaust("a")

    count_hit(FEW, "b")


def test_who_is_forgiven_begins_at_nought():
    exhaust("a")

    reset_count(FEW, "a")

    exhaust("a")


def test_a_limit_of_nought_is_none():
    count_hit(RateLimit("none", max_hits=0, seconds=10), "a")


def test_what_was_counted_is_forgotten_in_time():
    exhaust("a")

    (key,) = cache._cache.get_client().keys("*test/a*")

    assert 0 < cache._cache.get_client().ttl(key) <= 2 * FEW.seconds


def test_of_thirty_at_once_no_more_are_let_in_than_may():
    def ask(number: int) -> str:
        try:
            count_hit(FEW, "a")
        except RateLimited:
            return "waits"
        return "in"

    assert at_once(30, ask).count("in") == FEW.max_hits


@AWAY
def test_nobody_waits_while_the_cache_is_away():
    exhaust("a")

    count_hit(FEW, "a")


def test_a_cache_that_is_away_is_missed_once(caplog, monkeypatch, settings, tmp_path):
    """Of a place of its own, which no thread of another test asks for, and asked again when all this is over."""
    settings.CACHES = {"default": CACHE | {"LOCATION": f"unix://{tmp_path}/valkey.sock"}}
    monkeypatch.setattr("wire.cache.PING_INTERVAL_SECONDS", 60.0)

    with caplog.at_level(logging.WARNING, "wire.cache"):
        exhaust("a")
        exhaust("b")

    assert caplog.messages == ["the cache is out of reach"]


def test_of_a_cache_that_stalls_one_request_notices_and_its_return_too(tmp_path):
    stalling = Valkey(data=tmp_path, sockets=tmp_path, log=tmp_path / "valkey.log", durable=False)
    stalling.start()
    try:
        shared = FailOpenRedisCache(stalling.url, {"OPTIONS": {"socket_timeout": 0.3, "socket_connect_timeout": 0.3}})
        until = time.monotonic() + 60
        while shared.get("a") is None and time.monotonic() < until:  # it is missed where the machine stands still
            shared.set("a", "here")
        (pid,) = processes.find_writers(tmp_path / "valkey.log")
        os.kill(pid, signal.SIGSTOP)
        began = time.monotonic()
        missed = [shared.get("a") for _ in range(200)]
        seconds = time.monotonic() - began
        os.kill(pid, signal.SIGCONT)
        while shared.get("a") is None and time.monotonic() - began < 30:
            time.sleep(0.05)
    finally:
        stalling.stop()

    assert set(missed) == {None}
    assert seconds < 200 * 0.3 / 4
    assert time.monotonic() - began < 30


def test_a_token_that_asks_too_often_is_told_to_wait(as_token, few_requests):
    api = as_token("instruments:read")
    answers = [api.get("/api/v1/instruments") for _ in range(4)]

    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert answers[3].json()["error"] == {"code": "RATE_LIMITED", "message": "Too many requests.", "details": None}
    assert 1 <= int(answers[3]["Retry-After"]) <= 600


def test_tokens_of_one_address_do_not_notice_each_other(as_token, few_requests):
    for _ in range(4):
        as_token("instruments:read").get("/api/v1/instruments")

    assert as_token("instruments:read").get("/api/v1/instruments").status_code == 200


def test_heartbeats_are_not_counted(db, few_requests):
    token, text = make_token_with_text("watchers:report")
    path = f"/api/v1/watchers/{make_watcher(token=token).pk}/heartbeat"

    answers = [Api(text=text).post(path, {"status": "watching"}).status_code for _ in range(5)]

    assert answers == [200] * 5


def test_the_twenty_first_bad_credential_of_an_address_in_a_minute_has_to_wait(anonymous, db):
    answers = [anonymous.get("/api/v1/whoami", Authorization="Bearer ids_nonsense") for _ in range(21)]

    assert [answer.status_code for answer in answers] == [401] * 20 + [429]
    assert 1 <= int(answers[20]["Retry-After"]) <= 60


def test_good_credentials_pass_at_an_address_that_sends_bad_ones(anonymous, as_token):
    for _ in range(25):
        anonymous.get("/api/v1/whoami", Authorization="Bearer ids_nonsense")

    assert as_token("read").get("/api/v1/whoami").status_code == 200


def test_revoked_tokens_count_as_bad_ones(anonymous, db):
    _, text = make_token_with_text("read", revoked_at=make_token().created_at)
    answers = [Api(text=text).get("/api/v1/whoami").status_code for _ in range(21)]

    assert answers == [401] * 20 + [429]


def test_who_sends_no_credentials_is_not_counted(anonymous, db):
    assert {anonymous.get("/api/v1/whoami").status_code for _ in range(25)} == {401}


def test_bad_codes_at_the_token_endpoint_count_too(client, db):
    asked = {"grant_type": "authorization_code", "code": "guess", "client_id": "nobody"}
    answers = [client.post("/oauth/token", asked) for _ in range(21)]

    assert {answer.status_code for answer in answers[:20]} == {401}
    assert (answers[20].status_code, answers[20].json()["error"]) == (429, "temporarily_unavailable")
