"""Sections of a text of QuantStudio: what was amplified in a well has a result."""

import re
from collections.abc import Iterator

SECTION = re.compile(r"^\[(Amplification Data|Results)\][ \t]*\r?\n(.*?)(?=^\[|\Z)", re.MULTILINE | re.DOTALL)
WELL = re.compile(r"^\"?(\d{1,4})\"?\t", re.MULTILINE)


def list_lost_results(text: str) -> Iterator[str]:
    """Of wells that stand among the amplification data and not among the results."""
    wells = {name: set(map(int, WELL.findall(body))) for name, body in SECTION.findall(text)}
    lost = sorted(wells.get("Amplification Data", set()) - wells.get("Results", set()))
    if lost and wells.get("Results"):
        yield f"Well {lost[0]} was amplified and has no result: rows may be missing."
