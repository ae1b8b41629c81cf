"""AI clients against `./ids serve` with two web workers: registration, consent, tools, refresh, step-up, the end."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
import requests
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientMetadata

from tests.e2e.oauth_person import REDIRECT, Keeper, Person
from tests.service import Service

pytestmark = pytest.mark.slow
PASSWORD = "correct horse battery staple"
MODES = ["auto", "legacy", "2026-07-28"]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    data: Path = tmp_path_factory.mktemp("ids")
    with Service(data, WEB_CONCURRENCY="2") as running:
        running.manage("create_admin", "ines@lab.example", IDS_ADMIN_PASSWORD=PASSWORD)
        script = running.manage(
            "create_token", "script", "--scopes", "instruments:create,runs:create,runs:read"
        ).strip()
        headers = {"Authorization": f"Bearer {script}"}
        made = requests.post(f"{running.url}/api/v1/instruments", json={"id": "hplc-2"}, headers=headers, timeout=60)
        assert made.ok, made.text
        requests.post(
            f"{running.url}/api/v1/instruments/hplc-2/runs", json={"run_id": "QC 7"}, headers=headers, timeout=60
        ).raise_for_status()
        yield running


class Connected:
    """An AI client with OAuth, and the person it acts for."""

    def __init__(self, service: Service, *, mode: str = "auto", path: str = "/mcp/v1") -> None:
        self.endpoint, self.mode, self.keeper = service.url + path, mode, Keeper()
        self.person = Person(service.url, email="ines@lab.example", password=PASSWORD)

    def ask(self, question: Callable[[Client], Awaitable[Any]]) -> Any:
        async def run() -> Any:
            metadata = OAuthClientMetadata(redirect_uris=[REDIRECT], client_name="Bench Assistant")  # type: ignore[list-item]
            auth = OAuthClientProvider(self.endpoint, metadata, self.keeper, self.person.open, self.person.come_back)
            async with (
                httpx2.AsyncClient(auth=auth, timeout=60) as http,
                Client(streamable_http_client(self.endpoint, http_client=http), mode=self.mode) as client,
            ):
                return await question(client)

        return asyncio.run(run())

    def call(self, tool: str, **arguments: Any) -> Any:
        return self.ask(lambda client: client.call_tool(tool, arguments))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("path", ["/mcp/v1", "/mcp"])
def test_a_client_registers_is_allowed_and_acts_for_its_person(service, mode, path):
    client = Connected(service, mode=mode, path=path)

    answer = client.call("whoami").structured_content

    assert (answer["kind"], answer["client"]["name"]) == ("person", "Bench Assistant")
    assert "Bench Assistant" in client.person.seen[0]
    assert "127.0.0.1:33418" in client.person.seen[0]


@pytest.mark.parametrize("mode", MODES)
def test_a_token_connects_without_oauth(service, mode):
    scopes = "read,instruments:read"
    text = service.manage("create_token", f"assistant {mode}", "--scopes", scopes).strip()

    async def run() -> Any:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {text}"}, timeout=60) as http,
            Client(streamable_http_client(f"{service.url}/mcp", http_client=http), mode=mode) as client,
        ):
            return await client.call_tool("list_instruments", {})

    assert [row["id"] for row in asyncio.run(run()).structured_content["data"]] == ["hplc-2"]


def test_a_client_that_may_read_asks_again_before_it_changes_something(service):
    client = Connected(service)
    client.person.change = lambda address: address.replace("scope=read+write", "scope=read")
    assert client.call("whoami").structured_content["scopes"].count("write") == 0
    client.person.change = lambda address: address

    result = client.call("claim_run", instrument_id="hplc-2", run_id="QC 7")

    assert not result.is_error, result
    assert [len(client.person.seen), "Change" in client.person.seen[1]] == [2, True]
    assert client.keeper.tokens.scope.split() == ["read", "write"]


def test_a_client_renews_its_token_without_asking(service):
    client = Connected(service)
    client.call("whoami")
    first = client.keeper.tokens
    client.keeper.tokens = first.model_copy(update={"access_token": "lost", "expires_in": -1})

    answer = client.call("whoami")

    assert not answer.is_error
    assert client.keeper.tokens.refresh_token != first.refresh_token


def test_a_revoked_client_has_to_ask_again(service):
    client = Connected(service)
    client.call("whoami")
    gone = {"token": client.keeper.tokens.refresh_token, "client_id": client.keeper.client.client_id}
    gone |= {"client_secret": client.keeper.client.client_secret or ""}
    requests.post(f"{service.url}/oauth/revoke", data=gone, timeout=60).raise_for_status()

    client.call("whoami")

    assert len(client.person.seen) == 2


def test_a_person_disconnects_a_client_on_its_page(service):
    client = Connected(service)
    client.call("whoami")
    page = client.person.browser.get(f"{service.url}/settings/ai-clients", timeout=60)
    assert "Bench Assistant" in page.text

    for _ in range(page.text.count('name="client_id"')):
        client.person.submit(page)
        page = client.person.browser.get(f"{service.url}/settings/ai-clients", timeout=60)
    assert "Bench Assistant" not in page.text

    client.call("whoami")
    assert len(client.person.seen) == 2


def test_a_denied_client_gets_nothing(service):
    client = Connected(service)
    client.person.allows = False

    with pytest.raises(BaseExceptionGroup):
        client.call("whoami")

    assert client.keeper.tokens is None
    assert "error=access_denied" in client.person.landed
