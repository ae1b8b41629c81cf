"""What objects of JSON show of damage: a name that stands twice in one, as no program writes it."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from processing.readings import MIB

MOST_BYTES = 8 * MIB  # of a larger document nothing is said
LEAST_HEAD = 64  # bytes, among which the first is a bracket
MOST_SHOWN = 40  # characters of a name


def list_json_doubts(path: Path) -> Iterator[str]:
    """One sentence, about the first such name. Broken documents are left to their readers."""
    if path.stat().st_size > MOST_BYTES:
        return
    content = path.read_bytes()
    if not content[:LEAST_HEAD].lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")):
        return
    twice: list[str] = []

    def note_names(pairs: Sequence[tuple[str, Any]]) -> None:
        names = [name for name, _ in pairs]
        if len(set(names)) < len(names):
            twice.append(next(name for place, name in enumerate(names) if name in names[:place]))

    try:
        json.loads(content, object_pairs_hook=note_names)
    except (ValueError, RecursionError):
        return
    if twice:
        yield f"“{twice[0][:MOST_SHOWN]}” stands twice in one object: a piece may be missing, or stand there twice."
