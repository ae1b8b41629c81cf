"""The parts of the trail that commands name: a month as 2026-01, or what was there before months began."""

import re
from argparse import ArgumentTypeError

from accounts.trail.exports import PartRefused
from accounts.trail.months import TrailPart, list_parts

MONTH = re.compile(r"([0-9]{4})-([0-9]{2})")
BEFORE_MONTHS = re.compile(r"before_[0-9]{6}")


def parse_part(text: str) -> str:
    """The name of a part. Raises ArgumentTypeError."""
    if month := MONTH.fullmatch(text):
        return "".join(month.groups())
    if BEFORE_MONTHS.fullmatch(text):
        return text
    raise ArgumentTypeError(f"{text} is no month such as 2026-01, nor a part that detach_trail lists")


def find_parts(name: str) -> list[TrailPart]:
    """One of each table. Raises PartRefused where none has it."""
    found = [part for part in list_parts() if part.name == name]
    if not found:
        raise PartRefused("The trail has no such part: ./ids manage detach_trail lists them.")
    return found
