"""The embedded servers of a data directory. Each stays off when its variable points elsewhere."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from operations.embedded.data_directory import DataDirectory
from operations.embedded.postgres import OWNER, SERVICE, Postgres
from operations.embedded.postgres_upgrade import UpgradingPostgres
from operations.embedded.valkey import Valkey


@dataclass(frozen=True)
class Servers:
    postgres: Postgres | None
    valkey: Valkey | None

    @classmethod
    def of(cls, data: DataDirectory) -> Self:
        sockets = data.sockets()
        return cls(
            None if os.environ.get("DATABASE_URL") else _make_postgres(data, sockets),
            None if os.environ.get("REDIS_URL") else Valkey(data.path, sockets, data.logs / "valkey.log"),
        )

    def __iter__(self) -> Iterator[Postgres | Valkey]:
        return iter([server for server in (self.postgres, self.valkey) if server is not None])

    def variables(self) -> dict[str, str]:
        """Where the service finds them."""
        found: dict[str, str] = {}
        if self.postgres:
            found |= {"DATABASE_URL": self.postgres.url(SERVICE), "DATABASE_OWNER_URL": self.postgres.url(OWNER)}
        if self.valkey:
            found |= {"REDIS_URL": self.valkey.url}
        return found


def _make_postgres(data: DataDirectory, sockets: Path) -> Postgres:
    return UpgradingPostgres(data.path, sockets, data.logs / "postgres.log")
