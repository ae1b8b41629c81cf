"""The MCP server: the lab's tools, resources and prompts, each caller seeing what its scopes open."""

import logging
import time
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS, CallToolResult, Tool
from pydantic import ValidationError as PydanticError

from accounts.oauth.connections import WRITE_SCOPES
from mcp_server import prompts, resources
from mcp_server.callers import format_principal, require_caller
from mcp_server.results import as_validation_error, build_error_result
from mcp_server.toolbox import ToolDeclaration
from mcp_server.tools import (
    changes,
    comments,
    datasets,
    files,
    history,
    instruments,
    notifications,
    overview,
    people,
    processing,
    reports,
    runs,
    watchers,
)
from wire.errors import ServiceError

log = logging.getLogger("ids.mcp")
TOOL_DOMAINS = (
    overview,
    instruments,
    runs,
    reports,
    files,
    datasets,
    processing,
    comments,
    history,
    changes,
    people,
    watchers,
    notifications,
)
INSTRUCTIONS = """\
This is a laboratory's instrument data: instruments perform runs, runs leave files, people comment and claim.
An instrument has a slug such as `hplc-2`; a run is named by its instrument and its `run_id`; a file by a number.
Begin with search, search_runs or list_instruments; take ids from answers, never guess them.
Dates are days of the service's time zone. Read `ids://glossary` for what statuses mean.
An answer that would be too long says in `abridged` what was left out.
"""


class LabServer(MCPServer[Any]):
    """Shows each caller the tools that its scopes open, and refuses in the words of REST."""

    def __init__(self, declared: Iterable[ToolDeclaration]) -> None:
        self.declared = {one.name: one for one in declared}
        super().__init__(
            "instrument-data-service",
            title="Instrument Data Service",
            version=settings.VERSION,
            website_url=settings.PUBLIC_URL,
            instructions=INSTRUCTIONS,
            tools=[one.build_sdk_tool() for one in self.declared.values()],
            subscriptions=False,
        )

    @property
    def writing_tools(self) -> frozenset[str]:
        return frozenset(name for name, one in self.declared.items() if one.policy.writes)

    async def list_tools(self) -> list[Tool]:
        """A client that its person let only read sees what writing would add: to call it is to ask for more."""
        caller = require_caller()
        seen = replace(caller, scopes=caller.scopes | WRITE_SCOPES) if caller.client else caller
        return [tool for tool in await super().list_tools() if self.declared[tool.name].policy.allows(seen)]

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None) -> Any:
        if name not in self.declared:
            raise MCPError(code=INVALID_PARAMS, message=f"Unknown tool: {name[:100]}")
        started = time.perf_counter()
        result = await self._call_tool_checked(self.declared[name], arguments, context)
        log.info(
            "tool",
            extra={
                "tool": name,
                "principal": format_principal(require_caller()),
                "refused": refusal_code(result),
                "ms": round((time.perf_counter() - started) * 1000, 1),
            },
        )
        return result

    async def get_prompt(
        self, name: str, arguments: dict[str, Any] | None = None, context: Context[Any, Any] | None = None
    ) -> Any:
        """What is wrong with a request for a prompt is the asker's fault, which the SDK calls an internal error."""
        try:
            return await super().get_prompt(name, arguments, context)
        except ValueError as fault:
            raise MCPError(code=INVALID_PARAMS, message=str(fault)[:300]) from None

    async def _call_tool_checked(
        self, tool: ToolDeclaration, arguments: dict[str, Any], context: Context[Any, Any] | None
    ) -> Any:
        """The caller is judged before the arguments are (docs/interface.md, Order of checks)."""
        caller = require_caller()
        try:
            tool.policy.check(caller)
            tool.refuse_unknown(arguments)
            return await super().call_tool(tool.name, arguments, context)
        except ServiceError as error:
            return build_error_result(error, advice=tool.policy.advice(caller))
        except ToolError as error:
            if isinstance(error.__cause__, PydanticError):
                return build_error_result(as_validation_error(error.__cause__))
            raise


@cache
def shared_server() -> LabServer:
    """The one of this process, and of those forked from it."""
    return build_server()


def build_server() -> LabServer:
    """A server with every tool that the administrator left switched on."""
    server = LabServer(select_enabled_tools(tool for domain in TOOL_DOMAINS for tool in domain.tools))
    resources.register_resources(server)
    prompts.register_prompts(server)
    return server


def select_enabled_tools(declared: Iterable[ToolDeclaration]) -> list[ToolDeclaration]:
    """MCP_READ_ONLY leaves out what changes data; MCP_ALLOWED_TOOLS, where it names any, all that it does not name."""
    found = list(declared)
    allowed = set(settings.MCP_ALLOWED_TOOLS)
    unknown = sorted(allowed - {one.name for one in found})
    if unknown:
        raise ImproperlyConfigured(f"MCP_ALLOWED_TOOLS names unknown tools: {', '.join(unknown)}.")
    return [
        one
        for one in found
        if (one.name in allowed or not allowed) and not (settings.MCP_READ_ONLY and one.policy.writes)
    ]


def refusal_code(result: Any) -> str:
    """For the log: the code of a refusal, never what was asked or answered."""
    told = result.structured_content if isinstance(result, CallToolResult) and result.is_error else None
    return told["error"]["code"] if told else ""
