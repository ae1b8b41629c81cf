from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from mcp_server.reference import replace_tool_table


class Command(BaseCommand):
    help = "Write the table of MCP tools into a document, between its marks."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("document", type=Path)

    def handle(self, *, document: Path, **options: Any) -> None:
        document.write_text(replace_tool_table(document.read_text()))
