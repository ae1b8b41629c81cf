"""Small things the journal remembers by name."""

import json
from typing import Any

from instrument_watcher.journal.database import Database


class Facts:
    def __init__(self, database: Database) -> None:
        self._db = database

    def get(self, name: str) -> Any:
        row = self._db.row("SELECT value FROM facts WHERE name = ?", name)
        return None if row is None else json.loads(row["value"])

    def set(self, name: str, value: Any) -> None:
        self._db.write("INSERT OR REPLACE INTO facts VALUES (?, ?)", name, json.dumps(value))

    def forget(self, name: str) -> None:
        self._db.write("DELETE FROM facts WHERE name = ?", name)
