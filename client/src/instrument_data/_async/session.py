"""A service and who asks it: what runs, files and datasets share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from instrument_data._async.connection import PATIENCE_SECONDS, AsyncConnection
from instrument_data.cache import Cache, open_cache
from instrument_data.choosing import choose_id, is_id, match_name
from instrument_data.credentials import Credentials
from instrument_data.errors import Forbidden
from instrument_data.records import Instrument, Project
from instrument_data.trust import make_tls_context


class AsyncSession:
    """Its connections, the local cache, and the instruments and projects as they were seen last."""

    def __init__(
        self,
        credentials: Credentials,
        *,
        cache: Cache | None = None,
        patience: float = PATIENCE_SECONDS,
        ca_bundle: str | Path | None = None,
    ) -> None:
        self.url = credentials.url
        self.connection = AsyncConnection(
            credentials.url, credentials.token, patience=patience, tls=make_tls_context(ca_bundle)
        )
        self.cache = cache or open_cache()
        self._instruments: dict[str, str] = {}  # names by id
        self._projects: dict[str, str] = {}

    async def close(self) -> None:
        """Nothing can be asked after that."""
        await self.connection.close()

    async def whoami(self) -> dict[str, Any]:
        """{kind, id, name, scopes, instrument_ids} of the token."""
        return await self.connection.ask("GET", "/whoami", needs="name")

    async def instruments(self) -> list[Instrument]:
        """All that this token may see."""
        found = [Instrument(row) async for row in self.connection.rows("/instruments", [])]
        self._instruments = {one.id: one.display_name for one in found}
        return found

    async def projects(self) -> list[Project]:
        """All that this token may see, archived ones among them."""
        found = [Project(row) async for row in self.connection.rows("/projects", [])]
        self._projects = {one.id: one.name for one in found}
        return found

    async def create_instrument(self, instrument_id: str, *, display_name: str | None = None) -> Instrument:
        """A new one, which takes runs at once and is pending until an admin confirms it. Raises Conflict where one is
        there, ValidationError; Forbidden without the scope instruments:create."""
        body = {"id": instrument_id} if display_name is None else {"id": instrument_id, "display_name": display_name}
        return Instrument(await self.connection.ask("POST", "/instruments", body=body))

    async def find_instrument_id(self, name: str) -> str:
        """By id, else by display name in any case. Raises UnknownName, AmbiguousName."""
        try:
            if not match_name(self._instruments, name):
                await self.instruments()
        except Forbidden:  # a token that may not list instruments names them by id
            return name
        return choose_id(self._instruments, name, kind="instrument")

    async def find_project_id(self, name: str) -> str:
        """By id, else by name in any case. Raises UnknownName, AmbiguousName."""
        if is_id(name):
            return name
        if not match_name(self._projects, name):
            await self.projects()
        return choose_id(self._projects, name, kind="project")
