"""Which wells of a plate belong together: replicates by their sample, and the roles that samples are named for."""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from files.drawing.documents import text_or_empty

MAX_GROUPS = 12  # colours; further samples share the last
ROLES = (
    ("standard", re.compile(r"(?:std|standard|cal|calibrator|calibration)(?![a-z])", re.IGNORECASE)),
    ("blank", re.compile(r"(?:blank|blk|buffer|background)(?![a-z])", re.IGNORECASE)),
    ("control", re.compile(r"(?:ctrl|control|ntc|nac|pos|neg|pc|nc|positive|negative)(?![a-z])", re.IGNORECASE)),
)


def find_role(well: Mapping[str, Any]) -> str:
    """standard, blank, control, or nothing: as the file states it, else as the sample is called."""
    stated, sample = text_or_empty(well.get("role")).lower(), text_or_empty(well.get("sample"))
    return next((role for role, pattern in ROLES if role in stated or pattern.match(sample)), "")


def group_replicates(wells: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    """By sample of more than one well, the number of its colour, from 1; in the order of the plate."""
    samples = [text_or_empty(well.get("sample")) for well in wells.values()]
    repeated = [sample for sample, count in Counter(samples).items() if sample and count > 1]
    return {sample: 1 + number % MAX_GROUPS for number, sample in enumerate(repeated)}
