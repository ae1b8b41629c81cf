"""Resources: what an assistant may read before it asks; and completions for the ids that they and the prompts take."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    Completion,
    CompletionArgument,
    CompletionContext,
    PromptReference,
    ResourceTemplateReference,
)

from accounts.access import Access
from accounts.callers import Caller
from instruments import access
from mcp_server.answers import bounded
from mcp_server.arguments import InPath
from mcp_server.callers import present_caller
from mcp_server.threads import in_thread
from mcp_server.tools.instruments import get_filter_options, get_instrument, list_instruments
from runs import access as run_access
from runs.search import RunSearch, search_runs
from wire import converters
from wire.clock import now
from wire.errors import ServiceError, envelope
from wire.pagination import Window
from wire.refusals import as_service_error

GLOSSARY = Path(__file__).with_name("glossary.md")
JSON = "application/json"
SLUG = InPath(converters.Slug())
COMPLETIONS = 25


def register(server: MCPServer[Any]) -> None:
    @server.resource("ids://instruments", title="Instruments", mime_type=JSON)
    async def instruments() -> str:
        """The lab's instruments, the first hundred by name."""
        return await _read(access.READ, list_instruments)

    @server.resource("ids://instruments/{id}", title="Instrument", mime_type=JSON)
    async def instrument(id: str) -> str:  # noqa: A002  (the contract names the template's variable)
        """One instrument."""
        return await _read(access.READ, get_instrument, id)

    @server.resource("ids://instruments/{id}/filter-options", title="Filter options", mime_type=JSON)
    async def filter_options(id: str) -> str:  # noqa: A002  (likewise)
        """The metadata keys and values of an instrument's runs."""
        return await _read(run_access.FILTER_OPTIONS, get_filter_options, id)

    @server.resource("ids://glossary", title="Glossary", mime_type="text/markdown")
    async def glossary() -> str:
        """What the words and statuses of this service mean."""
        return GLOSSARY.read_text()

    server.completion()(complete)


async def complete(
    ref: PromptReference | ResourceTemplateReference, argument: CompletionArgument, context: CompletionContext | None
) -> Completion:
    """Ids that begin as the argument does. A caller who may not see them gets none."""
    given = (context.arguments if context else None) or {}
    try:
        values = await in_thread(_complete, argument.name, argument.value, given, present_caller())
    except ServiceError:
        values = []
    return Completion(values=values[:COMPLETIONS], has_more=len(values) > COMPLETIONS)


def _complete(name: str, value: str, given: dict[str, str], by: Caller) -> list[str]:
    if name in ("id", "instrument_id"):
        access.READ.check(by)
        found = list_instruments(by, per_page=100)["data"]
        return [row["id"] for row in found if row["id"].startswith(value)]
    if name.startswith("run_id") and "instrument_id" in given:
        run_access.READ.check(by)
        search = RunSearch(instrument_ids=(given["instrument_id"],), text=value)
        page = search_runs(search, window=Window(per_page=COMPLETIONS + 1), by=by, at=now())
        return [run.run_id for run in page.rows]
    return []


async def _read(policy: Access, reader: Callable[..., dict[str, Any]], *ids: str) -> str:
    """What a tool answers, as text. A refusal carries the envelope of REST."""

    def read(by: Caller) -> str:
        policy.check(by)
        return bounded(reader(by, *(SLUG.read(one) for one in ids)))[0]

    try:
        return await in_thread(read, present_caller())
    except Exception as problem:
        error = as_service_error(problem)
        raise MCPError(code=INVALID_PARAMS, message=error.message, data=envelope(error)["error"]) from None
