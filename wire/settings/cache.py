"""The cache, as Django reads it from the settings."""

from typing import Any


def cache_settings(redis_url: str | None) -> dict[str, dict[str, Any]]:
    """Without Redis each process has a cache of its own."""
    if redis_url is None:
        return {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    return {
        "default": {
            "BACKEND": "wire.cache.FailOpenRedisCache",
            "LOCATION": redis_url,
            "KEY_PREFIX": "ids",
            "OPTIONS": {"socket_timeout": 0.3, "socket_connect_timeout": 0.3},
        }
    }
