"""What may be wrong with a stack of planes: ids-stack/1, whose tiles lie in a file beside it."""

import math
import re
from collections.abc import Mapping
from typing import Any

COLOR = re.compile(r"#[0-9a-f]{6}")
TILES_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9 ._-]{0,99}")
MAX_TILES, MAX_CHANNELS, MAX_LEVELS = 150_000, 32, 24
SIZES = ("width", "height", "reduced_by", "depths", "times")
NUMBERS = ("offset", "scale", "low", "high", "least", "greatest")


def find_stack_fault(document: Any) -> str | None:
    """In words; None when it can be shown."""
    channels = document["channels"]
    if not all(is_count(document[name]) for name in SIZES) or not 64 <= document["tile_size"] <= 1024:
        return "a size is no whole number above zero, or tiles are smaller than 64 or larger than 1,024 pixels."
    if not 1 <= len(channels) <= MAX_CHANNELS or not all(map(is_channel, channels)):
        return "a channel has no name, no colour or no numbers, or there are more than 32."
    if document["coding"] not in ("deflate", "jpeg") or document["code_bytes"] not in (1, 2):
        return "its tiles are neither deflated nor JPEG, of one or two bytes."
    if not isinstance(document["tiles"], str) or not TILES_NAME.fullmatch(document["tiles"]):
        return "it does not say which file holds its tiles."
    if any(
        document.get(name) is not None and not is_positive(document[name])
        for name in ("pixel_size_um", "z_step_um", "interval_s")
    ):
        return "a pixel, a step or an interval has no length."
    return find_tiles_fault(document)


def find_tiles_fault(document: Mapping[str, Any]) -> str | None:
    shown_depths = document["depths"] + bool(document["has_projection"])
    planes = document["times"] * shown_depths * len(document["channels"])
    count = planes * count_tiles(document)
    if count > MAX_TILES or not count == len(document["offsets"]) == len(document["lengths"]):
        return "it does not say where each of its tiles is, or has more than 150,000."
    if not all(isinstance(place, int) and place >= 0 for name in ("offsets", "lengths") for place in document[name]):
        return "the place of a tile is no whole number."
    return None


def count_tiles(document: Mapping[str, Any]) -> int:
    """Of one plane, over its levels."""
    width, height, size, levels = (document[name] for name in ("width", "height", "tile_size", "levels"))
    if not isinstance(levels, int) or not 1 <= levels <= MAX_LEVELS:
        return 0
    found = 0
    for _ in range(levels):
        found += -(-width // size) * -(-height // size)
        width, height = -(-width // 2), -(-height // 2)
    return found


def is_channel(channel: Mapping[str, Any]) -> bool:
    numbers = [*(channel[name] for name in NUMBERS), *channel["histogram"]]
    named = isinstance(channel["name"], str) and COLOR.fullmatch(channel["color"]) is not None
    return (
        named and channel["power"] in (1, 2) and all(isinstance(n, int | float) and math.isfinite(n) for n in numbers)
    )


def is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def is_positive(value: Any) -> bool:
    return isinstance(value, int | float) and 0 < value < math.inf
