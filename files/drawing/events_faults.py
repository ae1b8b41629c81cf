"""Whether an ids-events/1 is what it promises: as many finite values in each channel as there are events."""

import base64
import binascii
import math
from array import array
from collections.abc import Mapping
from typing import Any

MAX_CHANNELS, MAX_EVENTS, BYTES_PER_VALUE = 60, 20_000, 4


def find_events_fault(document: Mapping[str, Any]) -> str | None:
    """What keeps it from being drawn; each channel holds as many finite values as there are events."""
    count, channels = document["count"], document["channels"]
    if not 0 <= count <= MAX_EVENTS or len(channels) > MAX_CHANNELS or not document["total"] >= count:
        return "it holds too many events or channels, or more than the file."
    for channel in channels:
        scale = channel["logicle"]
        edges = [channel["low"], channel["high"], scale["t"], scale["w"], scale["m"]]
        if not all(isinstance(edge, int | float) and math.isfinite(edge) for edge in edges):
            return "the scale of a channel is no finite number."
        if not channel["high"] > channel["low"] or not scale["t"] > 0 or not 0 <= scale["w"] < scale["m"] / 2 <= 5:
            return "the scale of a channel has no width."
        if not isinstance(channel["name"], str) or not holds_values(channel["data"], count=count):
            return "a channel has no name, or not as many values as there are events."
    return None


def holds_values(data: str, *, count: int) -> bool:
    try:
        values = base64.b64decode(data, validate=True)
    except binascii.Error:
        return False
    return len(values) == count * BYTES_PER_VALUE and all(map(math.isfinite, array("f", values)))
