#!/usr/bin/env python3
"""Makes the synchronous face from the asynchronous one: python client/make_sync.py

`src/instrument_data/_async` is the source; waiting.py and shown.py of both faces are written by hand. A test compares.
"""

import re
import subprocess
import sys
from pathlib import Path

FACES = Path(__file__).parent / "src" / "instrument_data"
SOURCE, TARGET = FACES / "_async", FACES / "_sync"
BY_HAND = frozenset({"__init__.py", "waiting.py", "shown.py"})
HEAD = "# Made by client/make_sync.py from _async/{name}: change that one.\n"
RUFF = (sys.executable, "-m", "ruff")
RULES = (
    (r"\basync (def|with|for)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\b__a(enter|exit|iter|next)__\b", r"__\1__"),
    (r"\bAsync(Iterator|Iterable|Generator|Client)\b", r"\1"),
    (r"\b_?Async(?=[A-Z])", ""),
    (r"\basynccontextmanager\b", "contextmanager"),
    (r"\ba(close|read|iter_bytes|iter_raw|iter_lines)\b", r"\1"),
    (r"\b_async\b", "_sync"),
)


def main() -> None:
    for path in sources():
        (TARGET / path.name).write_text(made_from(path), encoding="utf-8")


def sources() -> list[Path]:
    return sorted(path for path in SOURCE.glob("*.py") if path.name not in BY_HAND)


def made_from(path: Path) -> str:
    text = HEAD.format(name=path.name) + path.read_text(encoding="utf-8")
    for pattern, replacement in RULES:
        text = re.sub(pattern, replacement, text)
    for command in (("check", "--quiet", "--fix", "--select", "I"), ("format",)):
        asked = [*RUFF, *command, "--stdin-filename", str(TARGET / path.name), "-"]
        text = subprocess.run(asked, input=text, capture_output=True, text=True, check=True).stdout
    return text


if __name__ == "__main__":
    main()
