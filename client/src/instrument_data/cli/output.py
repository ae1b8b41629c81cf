"""What a command prints: a table for people, JSON for programs (one document, or a line for each of a stream)."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from instrument_data.html import text_of


def print_json(value: Any) -> None:
    """NaN and infinity, of which JSON knows nothing, are null, as in the service's own answers."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=_plain, allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(value), ensure_ascii=False, default=_plain)
    click.echo(text)


def print_table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Cells are shown whole where nobody looks at a terminal, so that `grep` and `cut` find them.

    In a terminal the last ones, which may be long, end where their line does.
    """
    is_terminal = sys.stdout.isatty()
    console = Console(width=None if is_terminal else 10_000)
    table = Table(*head[:-1], box=None, pad_edge=False, header_style="bold", expand=is_terminal)
    table.add_column(head[-1], overflow="ellipsis", no_wrap=is_terminal, ratio=1 if is_terminal else None)
    for row in rows:
        table.add_row(*(escape(text_of(cell)) for cell in row))
    if is_terminal:
        console.print(table)
        return
    with console.capture() as text:
        console.print(table)
    for line in text.get().splitlines():
        click.echo(line.rstrip())


def tell(text: str) -> None:
    """To people, beside what programs read."""
    click.echo(text, err=True)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(one) for key, one in value.items()}
    return [_finite(one) for one in value] if isinstance(value, (list, tuple)) else value


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value) if isinstance(value, Path) else value.__str__()
