"""Sections of a text of QuantStudio: what was amplified in a well has a result, and what has one was set up."""

import re
from collections.abc import Iterator

SECTION = re.compile(
    r"^\[(Sample Setup|Amplification Data|Results)\][ \t]*\r?\n(.*?)(?=^\[|\Z)", re.MULTILINE | re.DOTALL
)
WELL = re.compile(r"^\"?(\d{1,4})\"?\t", re.MULTILINE)


def list_lost_wells(text: str) -> Iterator[str]:
    """Of wells that stand in a section and not in that which has all of its wells."""
    wells = {name: set(map(int, WELL.findall(body))) for name, body in SECTION.findall(text)}
    setup, results = wells.get("Sample Setup", set()), wells.get("Results", set())
    if results and (lost := wells.get("Amplification Data", set()) - results):
        yield f"Well {min(lost)} was amplified and has no result: rows may be missing."
    if setup and (lost := results - setup):
        yield f"Well {min(lost)} has a result and was not set up: rows may be missing."
