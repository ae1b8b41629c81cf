"""The shared cache, which may go away or stall at any moment without failing or holding up a request."""

import logging
import time
from collections.abc import Callable
from typing import Any, TypeVar

from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

log = logging.getLogger(__name__)
PAUSE_SECONDS = 5.0
Answer = TypeVar("Answer")


class OpenRedisCache(RedisCache):
    """Redis while it answers; an empty cache while it does not, asked again after a pause."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.quiet_until = 0.0

    def add(self, key: Any, *args: Any, **kwargs: Any) -> bool:
        return self._tried(lambda: super(OpenRedisCache, self).add(key, *args, **kwargs), True)

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        return self._tried(lambda: super(OpenRedisCache, self).get(key, default, version), default)

    def get_many(self, keys: Any, version: int | None = None) -> dict[Any, Any]:
        return self._tried(lambda: super(OpenRedisCache, self).get_many(keys, version), {})

    def set(self, key: Any, *args: Any, **kwargs: Any) -> None:
        self._tried(lambda: super(OpenRedisCache, self).set(key, *args, **kwargs), None)

    def delete(self, key: Any, *args: Any, **kwargs: Any) -> bool:
        return self._tried(lambda: super(OpenRedisCache, self).delete(key, *args, **kwargs), False)

    def incr(self, key: Any, *args: Any, **kwargs: Any) -> int:
        return self._tried(lambda: super(OpenRedisCache, self).incr(key, *args, **kwargs), 1)

    def count(self, key: str, *, timeout: int) -> int:
        """Add one to what `key` counts, and forget it after `timeout` seconds, in one round trip; 1 while away."""

        def counted() -> int:
            pipe: Any = self._cache.get_client(write=True).pipeline(transaction=False)
            name = self.make_and_validate_key(key)
            return int(pipe.incr(name).expire(name, timeout).execute()[0])

        return self._tried(counted, 1)

    def ping(self) -> bool:
        """Whether Redis answers now."""
        return self._tried(lambda: bool(self._cache.get_client().ping()), False)

    def _tried(self, call: Callable[[], Answer], fallback: Answer) -> Answer:
        if time.monotonic() < self.quiet_until:
            return fallback
        try:
            return call()
        except RedisError:
            self.quiet_until = time.monotonic() + PAUSE_SECONDS
            log.warning("the cache is out of reach; asked again in %s s", PAUSE_SECONDS)
            return fallback
