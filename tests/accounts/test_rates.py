"""How often a caller may ask."""

from datetime import timedelta

import pytest
from django.core.cache import cache

from accounts.rates import Rate, count
from config.cache import OpenRedisCache
from wire.clock import now
from wire.errors import RateLimited

FEW = Rate("test", most=3, seconds=10)
START = now().replace(second=0, microsecond=0)


def exhaust(who: str) -> None:
    for _ in range(FEW.most):
        count(FEW, who, at=START)


def test_a_caller_has_to_wait_for_the_rest_of_the_window():
    exhaust("a")

    with pytest.raises(RateLimited) as refusal:
        count(FEW, "a", at=START + timedelta(seconds=4))

    assert refusal.value.headers == {"Retry-After": "6"}


def test_others_and_the_next_window_are_free():
    exhaust("a")

    count(FEW, "b", at=START)
    count(FEW, "a", at=START + timedelta(seconds=10))


def test_nobody_waits_while_the_cache_is_away(monkeypatch):
    monkeypatch.setattr(OpenRedisCache, "_tried", lambda self, call, fallback: fallback)

    exhaust("a")

    count(FEW, "a", at=START)


def test_what_was_counted_is_forgotten():
    exhaust("a")

    (key,) = cache._cache.get_client().keys("*rate:test*")

    assert 0 < cache._cache.get_client().ttl(key) <= 20
