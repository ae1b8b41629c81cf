"""A question of the laboratory: how a scripted client asks the tools, and what the demonstration's generator knows."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.mcp_server.assistants import Assistant, text_of


@dataclass
class Client:
    """Has the tools and nothing else; remembers what it asked."""

    assistant: Assistant
    tools: list[str] = field(default_factory=list)
    largest_bytes: int = 0

    def __call__(self, tool: str, **arguments: Any) -> dict[str, Any]:
        result = self.assistant.call(tool, **arguments)
        text = text_of(result)
        assert not result.is_error, text
        self.tools.append(tool)
        self.largest_bytes = max(self.largest_bytes, len(text.encode()))
        return result.structured_content or {}

    def rows(self, tool: str, **arguments: Any) -> list[dict[str, Any]]:
        return self(tool, **arguments)["data"]

    def one(self, tool: str, **arguments: Any) -> dict[str, Any]:
        (row,) = self.rows(tool, **arguments)
        return row

    def cells(self, tool: str, **arguments: Any) -> list[tuple[Any, ...]]:
        """The rows of a table, all of them."""
        answer = self(tool, **arguments)
        assert answer["pagination"]["next_offset"] is None, answer["pagination"]
        return [tuple(row) for row in answer["data"]]


@dataclass(frozen=True)
class Question:
    text: str
    known: Callable[[], Any]  # from the generator
    ask: Callable[[Client], Any]


QUESTIONS: list[Question] = []


def question(text: str, known: Callable[[], Any]) -> Callable[[Callable[[Client], Any]], Callable[[Client], Any]]:
    def add(ask: Callable[[Client], Any]) -> Callable[[Client], Any]:
        QUESTIONS.append(Question(text, known, ask))
        return ask

    return add
