"""An assistant: the official client against the real application, in this thread, so that it sees a test's rows."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import cache
from typing import Any, TypeVar
from unittest.mock import patch

import httpx2
from asgiref.sync import async_to_sync
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult

from mcp_server import threads
from mcp_server.application import McpApp
from mcp_server.server import build_server
from tests.live_server import empty_app
from web.server.dispatch import Dispatcher

HOST = "http://127.0.0.1:8000"
ENDPOINT = f"{HOST}/mcp/v1"
Answer = TypeVar("Answer")


lab_server = cache(build_server)  # an app of its own each time, over one server


@asynccontextmanager
async def front_door() -> AsyncIterator[httpx2.ASGITransport]:
    """The MCP server behind the dispatcher, and nothing where Django would be."""
    server = lab_server()
    app = McpApp(server)
    with patch.object(threads, "tool_executor", None):
        async with server.session_manager.run():
            yield httpx2.ASGITransport(Dispatcher(django=empty_app, lifespan=app, mounts=app.mounts))


class Assistant:
    """One caller of the MCP server."""

    def __init__(self, text: str, *, mode: str = "auto", endpoint: str = ENDPOINT) -> None:
        self.headers = {"Authorization": f"Bearer {text}"} if text else {}
        self.mode, self.endpoint = mode, endpoint

    def ask(self, question: Callable[[Client], Awaitable[Answer]]) -> Answer:
        """What the client answers to `question`, or the error it raises, out of the groups that tasks wrap it in."""

        async def run() -> Answer | MCPError:
            async with (
                front_door() as door,
                httpx2.AsyncClient(transport=door, headers=self.headers) as http,
                Client(streamable_http_client(self.endpoint, http_client=http), mode=self.mode) as client,
            ):
                try:
                    return await question(client)
                except MCPError as error:
                    return error

        answer = async_to_sync(run)()
        if isinstance(answer, MCPError):
            raise answer
        return answer

    def call(self, tool: str, **arguments: Any) -> CallToolResult:
        return self.ask(lambda client: client.call_tool(tool, arguments))

    def answer(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The structured answer of a call that must work."""
        result = self.call(tool, **arguments)
        assert not result.is_error, text_of(result)
        return result.structured_content or {}

    def refusal(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The error of a call that must be refused."""
        result = self.call(tool, **arguments)
        assert result.is_error, result
        return json.loads(text_of(result))

    def tools(self) -> set[str]:
        return {tool.name for tool in self.ask(lambda client: client.list_tools()).tools}


def text_of(result: CallToolResult) -> str:
    first: Any = result.content[0]
    return first.text


def post(body: Any, *, path: str = "/mcp/v1", **headers: str) -> httpx2.Response:
    """One HTTP request as it is, for what no client would send."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return request("POST", content, path=path, **headers)


def request(method: str, content: bytes = b"", *, path: str = "/mcp/v1", **headers: str) -> httpx2.Response:

    async def run() -> httpx2.Response:
        async with front_door() as door, httpx2.AsyncClient(transport=door, base_url=HOST) as http:
            return await http.request(method, path, content=content, headers=ACCEPT | named(headers))

    return async_to_sync(run)()


ACCEPT = {b"Content-Type": b"application/json", b"Accept": b"application/json, text/event-stream"}


def named(headers: dict[str, str]) -> dict[bytes, bytes]:
    return {name.replace("_", "-").encode(): value.encode("latin-1") for name, value in headers.items()}


def message(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
