"""The table of tools in docs/mcp.md, made from the tools themselves."""

import inspect

from accounts.access import Access, Only
from accounts.scopes import Scope
from mcp_server.server import TOOL_DOMAINS
from mcp_server.toolbox import ToolDeclaration

BEGIN_MARK = "<!-- tools: made by mcp_server/reference.py, held current by tests/mcp_server/test_reference.py -->"
END_MARK = "<!-- /tools -->"


def replace_tool_table(document: str) -> str:
    """The document with a fresh table between its marks."""
    before, _, rest = document.partition(BEGIN_MARK)
    _, _, after = rest.partition(END_MARK)
    return f"{before}{BEGIN_MARK}\n\n{build_tool_table()}\n\n{END_MARK}{after}"


def build_tool_table() -> str:
    rows = [build_tool_row(tool) for domain in TOOL_DOMAINS for tool in domain.tools]
    return "\n".join(["| Tool | Does | Needs |", "|---|---|---|", *rows])


def build_tool_row(tool: ToolDeclaration) -> str:
    summary = " ".join((inspect.getdoc(tool.function) or "").partition("\n\n")[0].split())
    return f"| `{tool.name}` | {summary} | {describe_requirements(tool)} |"


def describe_requirements(tool: ToolDeclaration) -> str:
    policies: tuple[Access, ...] = (tool.policy.access, *tool.policy.other_access)
    scopes = [f"`{policy.scope}`" for policy in policies if policy.scope]
    scopes += [f"`{Scope.WRITE}`"] if tool.policy.writes else []
    kind = {Only.PERSON: "a person", Only.TOKEN: "a token", None: ""}[tool.policy.access.only]
    return ", ".join(filter(None, [kind, *scopes])) or "nothing more"
