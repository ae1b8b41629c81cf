"""Static files under names that carry a hash of their content: kept for ever by browsers, never stale.

The files are served from where their apps keep them. Nothing is collected before a start and nothing can be outdated.
"""

import hashlib
from functools import cache
from pathlib import Path
from typing import Any, ClassVar
from wsgiref.headers import Headers

from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import StaticFilesStorage
from whitenoise.middleware import WhiteNoiseMiddleware

from web.stylesheet import StylesheetResponder, read_stylesheet

STYLESHEET = "app.css"


class HashedStaticFilesStorage(StaticFilesStorage):
    """`{% static "app.css" %}` becomes /static/app.<hash>.css."""

    def url(self, name: str | None) -> str:
        return super().url(hash_name(name or ""))


class StaticFilesMiddleware(WhiteNoiseMiddleware):
    """Serves each file under both names; WhiteNoise marks as immutable what the storage names so."""

    found: ClassVar[dict[str, Any]] = {}  # what to answer, by path: looked for once, for processes forked later too

    def add_files_from_finders(self) -> None:
        if not self.found:
            super().add_files_from_finders()
            self.found.update(self.files)
        self.files.update(self.found)

    def add_file_to_dictionary(self, url: str, path: str, stat_cache: Any = None) -> None:
        super().add_file_to_dictionary(url, path, stat_cache)
        super().add_file_to_dictionary(self.get_static_url(url.removeprefix(self.static_prefix)), path, stat_cache)

    def get_static_file(self, path: str, url: str, stat_cache: Any = None) -> Any:
        if Path(path).name != STYLESHEET:
            return super().get_static_file(path, url, stat_cache)
        headers = Headers([])
        self.add_mime_headers(headers, path, url)
        self.add_cache_headers(headers, path, url)
        return StylesheetResponder(read_stylesheet(Path(path)), headers.items())


@cache
def hash_name(name: str) -> str:
    """The name with twelve digits of SHA-256 before its ending; as it is where there is no such file."""
    found = finders.find(name)
    stem, dot, ending = name.rpartition(".")
    if not found or not dot or not Path(found).is_file():
        return name
    content = read_stylesheet(Path(found)) if name == STYLESHEET else Path(found).read_bytes()
    return f"{stem}.{hashlib.sha256(content).hexdigest()[:12]}.{ending}"
