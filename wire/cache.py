"""The shared cache, which may go away or stall at any moment without failing or holding up a request."""

import logging
import threading
import time
from collections.abc import Callable
from functools import cache, cached_property
from typing import Any, TypeVar

from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from limits.storage import RedisStorage
from redis.exceptions import RedisError

log = logging.getLogger(__name__)
PING_INTERVAL_SECONDS = 1.0
STOP_PINGING_AFTER_SECONDS = 30.0  # without any use, after which it is no longer pinged
Result = TypeVar("Result")


class CircuitBreaker:
    """The connections of one process to one Redis, and a circuit breaker that skips it while it does not answer.

    Django makes a cache object for every request that runs in a context of its own, as ours do; these it shares.
    """

    def __init__(self) -> None:
        self.client: RedisCacheClient | None = None
        self.limits: RedisStorage | None = None
        self.last_used_at = self.open_until = 0.0
        self.lock = threading.Lock()

    def call_or_fallback(self, call: Callable[[], Result], fallback: Result) -> Result:
        """What Redis answers; `fallback` at once while it is known to be away."""
        self.last_used_at = time.monotonic()
        if self.last_used_at < self.open_until:
            return fallback
        try:
            return call()
        except RedisError:
            self._open()
            return fallback

    def _open(self) -> None:
        with self.lock:
            was_quiet = time.monotonic() < self.open_until
            self.open_until = time.monotonic() + 2 * PING_INTERVAL_SECONDS
        if not was_quiet:
            log.warning("the cache is out of reach")
            threading.Thread(target=self._ping_until_back, name="cache", daemon=True).start()

    def _ping_until_back(self) -> None:
        """Ask again beside the requests, none of which has to wait; should this thread end, one of them asks."""
        while time.monotonic() - self.last_used_at < STOP_PINGING_AFTER_SECONDS:
            time.sleep(PING_INTERVAL_SECONDS)
            self.open_until = time.monotonic() + 2 * PING_INTERVAL_SECONDS
            try:
                assert self.client is not None
                self.client.get_client().ping()
            except RedisError:
                continue
            self.open_until = 0.0
            log.info("the cache is back")
            return


@cache
def breaker_for(location: str) -> CircuitBreaker:
    return CircuitBreaker()


class FailOpenRedisCache(RedisCache):
    """Redis while it answers; an empty cache while it does not."""

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self.breaker = breaker_for(server)

    @cached_property
    def _cache(self) -> RedisCacheClient:
        if self.breaker.client is None:
            own: Any = super()
            self.breaker.client = own._cache
        return self.breaker.client

    def add(self, key: Any, *args: Any, **kwargs: Any) -> bool:
        return self.breaker.call_or_fallback(lambda: super(FailOpenRedisCache, self).add(key, *args, **kwargs), True)

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        return self.breaker.call_or_fallback(
            lambda: super(FailOpenRedisCache, self).get(key, default, version), default
        )

    def get_many(self, keys: Any, version: int | None = None) -> dict[Any, Any]:
        return self.breaker.call_or_fallback(lambda: super(FailOpenRedisCache, self).get_many(keys, version), {})

    def set(self, key: Any, *args: Any, **kwargs: Any) -> None:
        self.breaker.call_or_fallback(lambda: super(FailOpenRedisCache, self).set(key, *args, **kwargs), None)

    def delete(self, key: Any, *args: Any, **kwargs: Any) -> bool:
        return self.breaker.call_or_fallback(
            lambda: super(FailOpenRedisCache, self).delete(key, *args, **kwargs), False
        )

    def incr(self, key: Any, *args: Any, **kwargs: Any) -> int:
        return self.breaker.call_or_fallback(lambda: super(FailOpenRedisCache, self).incr(key, *args, **kwargs), 1)

    def with_limit_storage(self, ask: Callable[[Any], Result], fallback: Result) -> Result:
        """What `ask` answers of the storage of rate limits in this Redis."""
        return self.breaker.call_or_fallback(lambda: ask(self._limits), fallback)

    @property
    def _limits(self) -> RedisStorage:
        if self.breaker.limits is None:
            pool = self._cache.get_client(write=True).connection_pool
            self.breaker.limits = RedisStorage("redis://", connection_pool=pool, key_prefix=f"{self.key_prefix}:rates")
        return self.breaker.limits

    def ping(self) -> bool:
        """Whether Redis answers now."""
        return self.breaker.call_or_fallback(lambda: bool(self._cache.get_client().ping()), False)
