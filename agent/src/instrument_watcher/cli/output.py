"""How commands speak: to people beautifully, to scripts in JSON."""

import json
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console, RenderableType
from rich.markup import escape
from rich.table import Table

from instrument_watcher.errors import AgentError
from instrument_watcher.terminal.look import Signs, make_console, signs


@dataclass
class Output:
    as_json: bool = False
    verbose: int = 0
    console: Console = field(default_factory=make_console)

    @property
    def signs(self) -> Signs:
        return signs(self.console)

    def say(self, what: RenderableType = "") -> None:
        """For people only; rich markup is allowed."""
        if not self.as_json:
            self.console.print(what)

    def result(self, data: dict[str, Any]) -> None:
        """For scripts only: one JSON object on stdout."""
        if self.as_json:
            self.console.file.write(json.dumps(data, indent=2) + "\n")

    def ok(self, text: str) -> None:
        self._signed(self.signs.ok, "ok", text)

    def warn(self, text: str) -> None:
        self._signed(self.signs.warn, "warn", text)

    def bad(self, text: str, *, remedy: str = "") -> None:
        self._signed(self.signs.bad, "bad", text)
        if remedy:
            self._signed(f"  {self.signs.arrow}", "dim", f"[dim]{remedy}[/]")

    def error(self, error: AgentError) -> None:
        """What went wrong and what to do about it."""
        self.result({"error": {"code": error.code.name, "message": error.message, "remedy": error.remedy}})
        self.bad(escape(error.message), remedy=escape(error.remedy))

    def _signed(self, sign: str, style: str, text: str) -> None:
        """A sign and a text whose further lines stand below its first; unbroken where nobody looks at a terminal."""
        if self.as_json:
            return
        if not self.console.is_terminal:
            self.console.print(f"{sign} {text}", soft_wrap=True)
            return
        line = Table.grid(padding=(0, 1, 0, 0))
        line.add_row(f"[{style}]{sign}[/]", text)
        self.console.print(line)
