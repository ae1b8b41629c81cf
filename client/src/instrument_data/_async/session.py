"""A service and who asks it: what runs, files and datasets share."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any

from instrument_data._async.connection import PATIENCE_SECONDS, AsyncConnection
from instrument_data.cache import Cache, open_cache
from instrument_data.credentials import Credentials
from instrument_data.errors import AmbiguousName, Forbidden, UnknownName
from instrument_data.records import Instrument
from instrument_data.trust import make_tls_context


class AsyncSession:
    """Its connections, the local cache, and the instruments as they were seen last."""

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
        self._instruments: list[Instrument] = []

    async def close(self) -> None:
        """Nothing can be asked after that."""
        await self.connection.close()

    async def whoami(self) -> dict[str, Any]:
        """{kind, id, name, scopes, instrument_ids} of the token."""
        return await self.connection.ask("GET", "/whoami")

    async def instruments(self) -> list[Instrument]:
        """All that this token may see."""
        self._instruments = [Instrument(row) async for row in self.connection.rows("/instruments", [])]
        return self._instruments

    async def create_instrument(self, instrument_id: str, *, display_name: str | None = None) -> Instrument:
        """A new one, which takes runs at once and is pending until an admin confirms it. Raises Conflict where one is
        there, ValidationError; Forbidden without the scope instruments:create."""
        body = {"id": instrument_id} if display_name is None else {"id": instrument_id, "display_name": display_name}
        return Instrument(await self.connection.ask("POST", "/instruments", body=body))

    async def find_instrument_id(self, name: str) -> str:
        """By id, else by display name in any case. Raises UnknownName, AmbiguousName."""
        try:
            known = _match(self._instruments, name) or _match(await self.instruments(), name)
        except Forbidden:  # a token that may not list instruments names them by id
            return name
        if len(known) == 1:
            return known[0].id
        if known:
            raise AmbiguousName(f"{len(known)} instruments are called {name}: {_told(known)}. Say which by its id.")
        raise UnknownName(f"There is no instrument {name}. {_nearest(self._instruments, name)}")


def _match(instruments: list[Instrument], name: str) -> list[Instrument]:
    by_id = [one for one in instruments if one.id == name]
    return by_id or [one for one in instruments if one.display_name.casefold() == name.casefold()]


def _told(instruments: list[Instrument]) -> str:
    return ", ".join(f"{one.display_name} ({one.id})" for one in instruments[:10])


def _nearest(instruments: list[Instrument], name: str) -> str:
    names = {one.display_name: one for one in instruments} | {one.id: one for one in instruments}
    near = {names[one].id: names[one] for one in difflib.get_close_matches(name, names, n=6, cutoff=0.5)}
    return f"Nearest: {_told(list(near.values())[:3])}." if near else f"There are {_told(instruments) or 'none'}."
