"""Questions to one service: signed with the token, asked again where that may help, refusals as exceptions."""

from __future__ import annotations

import logging
import ssl
import uuid
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx

from instrument_data._async.waiting import in_thread, sleep
from instrument_data.cache import draft_beside
from instrument_data.errors import NotConnected, NotTrusted, ServiceAway, error_from, not_ours
from instrument_data.filters import Params
from instrument_data.reasons import reason_headers
from instrument_data.retries import AGAIN, Patience
from instrument_data.trust import explain_refusal
from instrument_data.version import USER_AGENT

ROOT = "/api/v1"
PER_PAGE = "100"
PATIENCE_SECONDS = 120.0
TIMEOUT = httpx.Timeout(60.0, connect=10.0)
TOLD_SECONDS = 1.5  # a wait that people notice
LOG = logging.getLogger("instrument_data")


class AsyncConnection:
    """`patience` is how many seconds one question may wait for the service in all, before it is given up."""

    def __init__(self, url: str, token: str, *, tls: ssl.SSLContext, patience: float = PATIENCE_SECONDS) -> None:
        self.url, self.patience = url, patience
        headers = {"Authorization": f"Bearer {token}", "User-Agent": USER_AGENT}
        self._service = httpx.AsyncClient(headers=headers, timeout=TIMEOUT, verify=tls, follow_redirects=False)
        self.store = httpx.AsyncClient(
            headers={"User-Agent": USER_AGENT}, timeout=TIMEOUT, verify=tls
        )  # its addresses are the credential

    async def close(self) -> None:
        await self._service.aclose()
        await self.store.aclose()

    async def ask(
        self,
        method: str,
        path: str,
        *,
        params: Iterable[tuple[str, str]] = (),
        body: Any = None,
        needs: str | None = None,
    ) -> Any:
        """The JSON of the answer, which has the member `needs`; None of an answer without content.

        Raises ServiceError; ServiceAway, also where somebody else answers, as the page of a proxy does.
        """
        request = self._build_request(method, path, params=params, body=body, accept="application/json")
        answer = await self._send(request, stream=False)
        if answer.status_code == httpx.codes.NO_CONTENT:
            return None
        try:
            told = answer.json()
        except ValueError:
            told = None
        if not isinstance(told, dict) or (needs is not None and needs not in told):
            raise ServiceAway(not_ours(self.url, answer.status_code))
        return told

    @asynccontextmanager
    async def open(
        self,
        method: str,
        path: str,
        *,
        params: Iterable[tuple[str, str]] = (),
        accept: str,
        headers: dict[str, str] | None = None,
        timeout: httpx.Timeout = TIMEOUT,
    ) -> AsyncIterator[httpx.Response]:
        """A good answer whose body is still to come. Raises ServiceError, ServiceAway."""
        request = self._build_request(method, path, params=params, accept=accept, headers=headers, timeout=timeout)
        answer = await self._send(request, stream=True)
        try:
            if answer.headers.get("Content-Type", "").startswith("text/html"):
                raise ServiceAway(not_ours(self.url, answer.status_code))
            yield answer
        except httpx.TransportError as error:
            raise ServiceAway(f"The answer of {self.url} broke off: {_why(error)}") from error
        finally:
            await answer.aclose()

    async def rows(self, path: str, params: Params) -> AsyncIterator[dict[str, Any]]:
        """Every row of a list, by cursor: rows that were there all along come exactly once."""
        cursor: str | None = ""
        while cursor is not None:
            asked = [*params, ("per_page", PER_PAGE), ("cursor", cursor)]
            page = await self.ask("GET", path, params=asked, needs="data")
            for row in page["data"]:
                yield row
            cursor = page["pagination"].get("next_cursor")

    async def total(self, path: str, params: Params) -> int:
        page = await self.ask("GET", path, params=[*params, ("per_page", "1")], needs="pagination")
        return page["pagination"]["total"]

    def _build_request(
        self,
        method: str,
        path: str,
        *,
        params: Iterable[tuple[str, str]],
        accept: str,
        body: Any = None,
        headers: dict[str, str] | None = None,
        timeout: httpx.Timeout = TIMEOUT,
    ) -> httpx.Request:
        asked = {"Accept": accept, **(headers or {})}
        if method == "POST":
            asked["Idempotency-Key"] = uuid.uuid4().hex
        if method != "GET":
            asked |= reason_headers()
        return self._service.build_request(
            method, f"{self.url}{ROOT}{path}", params=list(params), json=body, headers=asked, timeout=timeout
        )

    async def _send(self, request: httpx.Request, *, stream: bool) -> httpx.Response:
        """A good answer, whole unless it is to be streamed: one that breaks off is asked for again."""
        if self._service.is_closed:
            raise NotConnected("This connection was closed: connect again.")
        patience, is_told = Patience(self.patience), False
        while True:
            wait = None
            try:
                answer = await self._service.send(request, stream=stream)
                if answer.is_success:
                    return answer
                if answer.status_code in AGAIN:
                    wait = patience.next_wait(answer.headers.get("Retry-After"))
                if wait is None:
                    raise await _refusal(answer, self.url)
                why = f"answers {answer.status_code}"
                await answer.aclose()
            except httpx.TransportError as error:
                if (refused := explain_refusal(error)) is not None:
                    raise NotTrusted(f"No connection to {self.url}: {refused}") from error
                wait = patience.next_wait()
                if wait is None:
                    raise ServiceAway(f"{self.url} does not answer: {_why(error)}") from error
                why = f"does not answer ({_why(error)})"
            if wait > TOLD_SECONDS and not is_told:
                LOG.warning("%s %s; asking again for up to %.0f s", self.url, why, wait + patience.left)
                is_told = True
            await sleep(wait)


async def save_stream(connection: AsyncConnection, path: str, params: Params, place: Path) -> Path:
    """An answer as a file, which is there whole or not at all."""
    draft = draft_beside(place)
    place.parent.mkdir(parents=True, exist_ok=True)
    try:
        with draft.open("wb") as file:
            async with connection.open("GET", path, params=params, accept="*/*") as answer:
                async for piece in answer.aiter_bytes():
                    await in_thread(file.write, piece)
        draft.replace(place)
    finally:
        draft.unlink(missing_ok=True)
    return place


async def _refusal(answer: httpx.Response, url: str) -> Exception:
    try:
        await answer.aread()
        body = answer.json()
    except (ValueError, httpx.TransportError):
        body = None
    finally:
        await answer.aclose()
    return error_from(answer.status_code, body, url=url, request_id=answer.headers.get("X-Request-ID"))


def _why(error: Exception) -> str:
    return str(error) or type(error).__name__
