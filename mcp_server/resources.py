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
from mcp_server.arguments import PathArgument
from mcp_server.callers import require_caller
from mcp_server.results import limit_answer
from mcp_server.threads import run_in_thread
from mcp_server.tools.instruments import get_filter_options, get_instrument, list_instruments
from runs import access as run_access
from runs.search import RunSearch, search_runs
from wire import converters
from wire.clock import now
from wire.error_responses import as_service_error
from wire.errors import ServiceError, build_envelope
from wire.lists.pagination import Window

GLOSSARY_PATH = Path(__file__).with_name("glossary.md")
JSON_TYPE = "application/json"
SLUG_ARGUMENT = PathArgument(converters.SlugConverter())
MAX_COMPLETIONS = 25


def register_resources(server: MCPServer[Any]) -> None:
    @server.resource("ids://instruments", title="Instruments", mime_type=JSON_TYPE)
    async def instruments() -> str:
        """The lab's instruments, the first hundred by name."""
        return await _read_resource(access.READ, list_instruments)

    @server.resource("ids://instruments/{id}", title="Instrument", mime_type=JSON_TYPE)
    async def instrument(id: str) -> str:  # noqa: A002  (the name of the template's variable)
        """One instrument."""
        return await _read_resource(access.READ, get_instrument, id)

    @server.resource("ids://instruments/{id}/filter-options", title="Filter options", mime_type=JSON_TYPE)
    async def filter_options(id: str) -> str:  # noqa: A002  (likewise)
        """The metadata keys and values of an instrument's runs."""
        return await _read_resource(run_access.FILTER_OPTIONS, get_filter_options, id)

    @server.resource("ids://glossary", title="Glossary", mime_type="text/markdown")
    async def glossary() -> str:
        """What the words and statuses of this service mean."""
        return GLOSSARY_PATH.read_text()

    server.completion()(complete_argument)


async def complete_argument(
    ref: PromptReference | ResourceTemplateReference, argument: CompletionArgument, context: CompletionContext | None
) -> Completion:
    """Ids that begin as the argument does. A caller who may not see them gets none."""
    given = (context.arguments if context else None) or {}
    try:
        values = await run_in_thread(_find_completions, argument.name, argument.value, given, require_caller())
    except ServiceError:
        values = []
    return Completion(values=values[:MAX_COMPLETIONS], has_more=len(values) > MAX_COMPLETIONS)


def _find_completions(name: str, value: str, given: dict[str, str], by: Caller) -> list[str]:
    if name in ("id", "instrument_id"):
        access.READ.check(by)
        found = list_instruments(by, per_page=100)["data"]
        return [row["id"] for row in found if row["id"].startswith(value)]
    if name.startswith("run_id") and "instrument_id" in given:
        run_access.READ.check(by)
        search = RunSearch(instrument_ids=(given["instrument_id"],), text=value)
        page = search_runs(search, window=Window(per_page=MAX_COMPLETIONS + 1), by=by, at=now())
        return [run.run_id for run in page.rows]
    return []


async def _read_resource(policy: Access, reader: Callable[..., dict[str, Any]], *ids: str) -> str:
    """What a tool answers, as text. A refusal carries the envelope of REST."""

    def read(by: Caller) -> str:
        policy.check(by)
        return limit_answer(reader(by, *(SLUG_ARGUMENT.read(one) for one in ids)))[0]

    try:
        return await run_in_thread(read, require_caller())
    except Exception as problem:
        error = as_service_error(problem)
        raise MCPError(code=INVALID_PARAMS, message=error.message, data=build_envelope(error)["error"]) from None
