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
PAUSE_SECONDS = 1.0
FORGOTTEN_SECONDS = 30.0  # since anybody asked, after which nobody waits for its return
Answer = TypeVar("Answer")


class Link:
    """The connections of one process to one Redis, and whether it answered last.

    Django makes a cache object for every request that runs in a context of its own, as ours do; these it shares.
    """

    def __init__(self) -> None:
        self.client: RedisCacheClient | None = None
        self.limits: RedisStorage | None = None
        self.asked_at = self.quiet_until = 0.0
        self.lock = threading.Lock()

    def tried(self, call: Callable[[], Answer], fallback: Answer) -> Answer:
        """What Redis answers; `fallback` at once while it is known to be away."""
        self.asked_at = time.monotonic()
        if self.asked_at < self.quiet_until:
            return fallback
        try:
            return call()
        except RedisError:
            self._be_quiet()
            return fallback

    def _be_quiet(self) -> None:
        with self.lock:
            was_quiet = time.monotonic() < self.quiet_until
            self.quiet_until = time.monotonic() + 2 * PAUSE_SECONDS
        if not was_quiet:
            log.warning("the cache is out of reach")
            threading.Thread(target=self._wait_for_it, name="cache", daemon=True).start()

    def _wait_for_it(self) -> None:
        """Ask again beside the requests, none of which has to wait; should this thread end, one of them asks."""
        while time.monotonic() - self.asked_at < FORGOTTEN_SECONDS:
            time.sleep(PAUSE_SECONDS)
            self.quiet_until = time.monotonic() + 2 * PAUSE_SECONDS
            try:
                assert self.client is not None
                self.client.get_client().ping()
            except RedisError:
                continue
            self.quiet_until = 0.0
            log.info("the cache is back")
            return


@cache
def link_to(location: str) -> Link:
    return Link()


class OpenRedisCache(RedisCache):
    """Redis while it answers; an empty cache while it does not."""

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self.link = link_to(server)

    @cached_property
    def _cache(self) -> RedisCacheClient:
        if self.link.client is None:
            own: Any = super()
            self.link.client = own._cache
        return self.link.client

    def add(self, key: Any, *args: Any, **kwargs: Any) -> bool:
        return self.link.tried(lambda: super(OpenRedisCache, self).add(key, *args, **kwargs), True)

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        return self.link.tried(lambda: super(OpenRedisCache, self).get(key, default, version), default)

    def get_many(self, keys: Any, version: int | None = None) -> dict[Any, Any]:
        return self.link.tried(lambda: super(OpenRedisCache, self).get_many(keys, version), {})

    def set(self, key: Any, *args: Any, **kwargs: Any) -> None:
        self.link.tried(lambda: super(OpenRedisCache, self).set(key, *args, **kwargs), None)

    def delete(self, key: Any, *args: Any, **kwargs: Any) -> bool:
        return self.link.tried(lambda: super(OpenRedisCache, self).delete(key, *args, **kwargs), False)

    def incr(self, key: Any, *args: Any, **kwargs: Any) -> int:
        return self.link.tried(lambda: super(OpenRedisCache, self).incr(key, *args, **kwargs), 1)

    def limited(self, ask: Callable[[Any], Answer], fallback: Answer) -> Answer:
        """What `ask` answers of the storage of rate limits in this Redis."""
        return self.link.tried(lambda: ask(self._limits), fallback)

    @property
    def _limits(self) -> RedisStorage:
        if self.link.limits is None:
            pool = self._cache.get_client(write=True).connection_pool
            self.link.limits = RedisStorage("redis://", connection_pool=pool, key_prefix=f"{self.key_prefix}:rates")
        return self.link.limits

    def ping(self) -> bool:
        """Whether Redis answers now."""
        return self.link.tried(lambda: bool(self._cache.get_client().ping()), False)
