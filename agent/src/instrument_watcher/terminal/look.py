"""Colours and signs of everything that is shown in a terminal. Colour only helps: a sign and a word always say it."""

from dataclasses import dataclass

from rich.box import ASCII2, ROUNDED, SIMPLE_HEAD, Box
from rich.console import Console
from rich.theme import Theme

THEME = Theme(
    {
        "accent": "blue",
        "title": "bold",
        "ok": "green",
        "warn": "yellow",
        "bad": "red",
        "busy": "cyan",
        "dim": "bright_black",
        "key": "bright_black",
        "path": "default",
        "bar.complete": "blue",
        "bar.finished": "green",
        "bar.back": "bright_black",
        "bar.pulse": "blue",
        "prompt": "bold",
        "prompt.choices": "blue",
        "prompt.default": "bright_black",
    }
)


@dataclass(frozen=True)
class Signs:
    ok: str
    bad: str
    warn: str
    dot: str
    arrow: str
    between: str
    frame: Box
    table: Box


UNICODE = Signs("✓", "✗", "▲", "●", "→", "·", ROUNDED, SIMPLE_HEAD)
PLAIN = Signs("+", "x", "!", "*", "->", "-", ASCII2, ASCII2)


def make_console(*, stderr: bool = False) -> Console:
    return Console(theme=THEME, stderr=stderr, highlight=False)


def signs(console: Console) -> Signs:
    """What the terminal can show: a Windows console of old, or a redirected code page, gets plain ones."""
    is_plain = console.legacy_windows or not console.encoding.lower().startswith("utf")
    return PLAIN if is_plain else UNICODE
