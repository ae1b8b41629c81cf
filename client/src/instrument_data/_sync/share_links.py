# Made by client/make_sync.py from _sync/share_links.py: change that one.
"""Links by which somebody without an account reads one run."""

from __future__ import annotations

from instrument_data._sync.connection import Connection
from instrument_data.html import facts
from instrument_data.records import Raw, ShareLinkRecord


class ShareLink(ShareLinkRecord):
    """An open link. `url` is known to whoever made it just now, and is None later."""

    def __init__(self, connection: Connection, path: str, raw: Raw) -> None:
        super().__init__(raw)
        self._connection, self._path = connection, path

    def end(self) -> None:
        """It works no more from now on. Raises NotFound where it had ended."""
        self._connection.ask("DELETE", f"{self._path}/{self.id}")

    def _repr_html_(self) -> str:
        shown = ("expires_at", "made_by", "open_count", "last_opened_at")
        known = [("url", self.url)] if self.url else []
        return facts("Link for outsiders", [*known, *((name, getattr(self, name)) for name in shown)])
