"""Static files under names that carry a hash of their content: kept for ever by browsers, never stale.

The files are served from where their apps keep them. Nothing is collected before a start and nothing can be outdated.
"""

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import StaticFilesStorage
from whitenoise.middleware import WhiteNoiseMiddleware


class HashedNames(StaticFilesStorage):
    """`{% static "app.css" %}` becomes /static/app.<hash>.css."""

    def url(self, name: str | None) -> str:
        return super().url(hashed(name or ""))


class StaticFiles(WhiteNoiseMiddleware):
    """Serves each file under both names; WhiteNoise marks as immutable what the storage names so."""

    def add_file_to_dictionary(self, url: str, path: str, stat_cache: Any = None) -> None:
        super().add_file_to_dictionary(url, path, stat_cache)
        super().add_file_to_dictionary(self.get_static_url(url.removeprefix(self.static_prefix)), path, stat_cache)


@cache
def hashed(name: str) -> str:
    """The name with twelve digits of SHA-256 before its ending; as it is where there is no such file."""
    found = finders.find(name)
    stem, dot, ending = name.rpartition(".")
    if not found or not dot or not Path(found).is_file():
        return name
    return f"{stem}.{hashlib.sha256(Path(found).read_bytes()).hexdigest()[:12]}.{ending}"
