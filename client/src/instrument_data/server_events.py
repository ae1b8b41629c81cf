"""The lines of a stream of server-sent events."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any


@dataclass
class EventReader:
    """Takes line after line; hands out the data of an event when its blank line comes. Comments are signs of life."""

    last_id: str | None = None
    _pending: str | None = None
    _data: list[str] = field(default_factory=list)

    def take(self, line: str) -> dict[str, Any] | None:
        if not line:
            return self._finish()
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "id" and "\0" not in value:
            self._pending = value
        return None

    def _finish(self) -> dict[str, Any] | None:
        """An event counts as heard once it is whole: only then is its id the one to go on from."""
        text, self._data = "\n".join(self._data), []
        self.last_id, self._pending = self._pending or self.last_id, None
        return json.loads(text) if text else None
