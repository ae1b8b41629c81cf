"""The blocks of docs/operations.md, read as Markdown."""

from markdown_it import MarkdownIt

from tests.service import CHECKOUT

DOCUMENT = CHECKOUT / "docs" / "operations.md"


def read_blocks() -> dict[str, str]:
    """Commands and listings by their first line."""
    tokens = MarkdownIt().parse(DOCUMENT.read_text())
    return {token.content.splitlines()[0]: token.content for token in tokens if token.type in {"code_block", "fence"}}
