"""The tables and panels that several commands show."""

from collections.abc import Sequence

from rich.box import Box
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from instrument_watcher.preview import Candidate, Plan, PlannedRun, Survey
from instrument_watcher.sizes import bytes_text, count_text
from instrument_watcher.terminal.look import Signs
from instrument_watcher.watching.names import printable


def facts(rows: Sequence[tuple[str, str]]) -> Table:
    """Names and values in two columns; values may hold markup."""
    table = Table.grid(padding=(0, 3, 0, 0))
    table.add_column(style="key", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(name, value)
    return table


def framed(title: str, body: Table | Text | str, look: Signs, *, style: str = "accent") -> Panel:
    return Panel(
        body, title=f"[title]{escape(title)}[/]", title_align="left", box=look.frame, border_style=style,
        padding=(0, 2), expand=False,
    )  # fmt: skip


def matches(survey: Survey, look: Signs, *, limit: int = 8) -> Table:
    """The files that the patterns take, and some that they leave."""
    table = plain(look.table, ("file", "left"), ("size", "right"))
    for file in survey.wanted[:limit]:
        table.add_row(f"[ok]{look.ok}[/] {escape(printable(file.path))}", bytes_text(file.size))
    _add_rest(table, len(survey.wanted) - limit, "file")
    for file in survey.other[: max(0, min(3, limit - len(survey.wanted)))]:
        table.add_row(f"[dim]{look.between} {escape(printable(file.path))}[/]", "[dim]not taken[/]")
    return table


def runs(plan: Plan, look: Signs, *, limit: int = 8) -> Table:
    """The runs that the files would make."""
    table = plain(look.table, ("run", "left"), ("files", "right"), ("size", "right"))
    for run in plan.runs[:limit]:
        table.add_row(escape(run.run_id), f"{run.files:,}", bytes_text(run.size))
    _add_rest(table, len(plan.runs) - limit, "run")
    return table


def refused(plan: Plan, look: Signs, *, limit: int = 4) -> Table:
    """The files that would not be uploaded, and why."""
    table = plain(look.table, ("not uploaded", "left"), ("why", "left"))
    for path, reason in plan.refused[:limit]:
        table.add_row(f"[warn]{look.warn}[/] {escape(printable(path))}", escape(reason))
    _add_rest(table, len(plan.refused) - limit, "file")
    return table


def totals(files: Sequence[Candidate], planned: Sequence[PlannedRun]) -> str:
    size = bytes_text(sum(file.size for file in files))
    return f"{count_text(len(files), 'file')}, {size}, in {count_text(len(planned), 'run')}"


def plain(box: Box, *columns: tuple[str, str]) -> Table:
    table = Table(box=box, header_style="dim", border_style="dim", pad_edge=False, show_edge=False)
    for name, justify in columns:
        table.add_column(name, justify="right" if justify == "right" else "left", overflow="fold")
    return table


def _add_rest(table: Table, rest: int, noun: str) -> None:
    if rest > 0:
        table.add_row(f"[dim]and {count_text(rest, noun)} more[/]", *[""] * (len(table.columns) - 1))
