"""The table of tools in docs/mcp.md, made from the tools themselves."""

import inspect

from accounts.access import Access, Only
from accounts.scopes import Scope
from mcp_server.server import DOMAINS
from mcp_server.tooling import Declared

BEGIN = "<!-- tools: made by mcp_server/reference.py, held current by tests/mcp_server/test_reference.py -->"
END = "<!-- /tools -->"


def with_tool_table(document: str) -> str:
    """The document with a fresh table between its marks."""
    before, _, rest = document.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{tool_table()}\n\n{END}{after}"


def tool_table() -> str:
    rows = [row_of(tool) for domain in DOMAINS for tool in domain.tools]
    return "\n".join(["| Tool | Does | Needs |", "|---|---|---|", *rows])


def row_of(tool: Declared) -> str:
    summary = " ".join((inspect.getdoc(tool.function) or "").partition("\n\n")[0].split())
    return f"| `{tool.name}` | {summary} | {needs_of(tool)} |"


def needs_of(tool: Declared) -> str:
    policies: tuple[Access, ...] = (tool.guard.access, *tool.guard.also)
    scopes = [f"`{policy.scope}`" for policy in policies if policy.scope]
    scopes += [f"`{Scope.WRITE}`"] if tool.guard.writes else []
    kind = {Only.PERSON: "a person", Only.TOKEN: "a token", None: ""}[tool.guard.access.only]
    return ", ".join(filter(None, [kind, *scopes])) or "nothing more"
