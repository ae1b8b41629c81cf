"""docs/mcp.md says what the tools are: `./ids manage mcp_reference docs/mcp.md` writes it."""

from pathlib import Path

from mcp_server.reference import replace_tool_table

DOCUMENT = Path(__file__).parents[2] / "docs" / "mcp.md"


def test_the_table_of_tools_is_current():
    assert DOCUMENT.read_text() == replace_tool_table(DOCUMENT.read_text())
