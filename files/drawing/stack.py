"""A stack of planes as a page shows it: what there is to choose, and the address of its tiles."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from files.choices import FileCategory
from files.drawing.documents import format_number, text_or_empty
from files.models import File


@dataclass(frozen=True)
class ChannelView:
    number: int
    name: str
    color: str
    is_shown: bool
    low: float  # codes, as the sliders have them
    high: float
    least: float
    greatest: float
    step: float
    shown_low: str  # numbers of the file
    shown_high: str
    histogram: str  # the path of its outline in a field of 64 by 32


@dataclass(frozen=True)
class StackView:
    title: str
    tiles: File
    picture: File | None  # what stands for it without script, and in print
    width: int
    height: int
    depths: int
    times: int
    has_projection: bool
    first_depth: int
    channels: list[ChannelView]
    is_color: bool
    facts: list[str]
    is_white_first: bool = False


NEGLIGIBLE = 1e-5  # beside the width of a window
MAX_SHOWN_AT_FIRST = 4


def build_stack_view(file: File, document: Mapping[str, Any]) -> StackView | None:
    """None where its tiles are not there."""
    beside = File.objects.filter(source_file_id=file.source_file_id, category=FileCategory.PROCESSED).active().stored()
    tiles = beside.filter(relative_path=f"{file.relative_path.rpartition('/')[0]}/{document['tiles']}").first()
    if file.source_file_id is None or tiles is None:
        return None
    pictures = beside.filter(metadata__kind="image", content_type="image/png").order_by("natural_key", "id")
    channels = [describe_channel(number, one) for number, one in enumerate(document["channels"])]
    return StackView(
        title=text_or_empty(document.get("title")),
        tiles=tiles,
        picture=pictures.first(),
        width=document["width"],
        height=document["height"],
        depths=document["depths"],
        times=document["times"],
        has_projection=bool(document["has_projection"]),
        first_depth=(document["depths"] + 1) // 2,
        channels=channels,
        is_color=bool(document.get("is_color")),
        facts=list_facts(document),
    )


def describe_channel(number: int, channel: Mapping[str, Any]) -> ChannelView:
    low, high = channel["low"], channel["high"]
    least, greatest = min(channel["least"], low), max(channel["greatest"], high)
    return ChannelView(
        number=number,
        name=text_or_empty(channel["name"]) or f"Channel {number + 1}",
        color=channel["color"],
        is_shown=number < MAX_SHOWN_AT_FIRST,
        low=low,
        high=high,
        least=least,
        greatest=greatest,
        step=1 if greatest - least >= 100 and float(low).is_integer() else 0.1,
        shown_low=format_edge(channel, low, other=high),
        shown_high=format_edge(channel, high, other=low),
        histogram=draw_outline(channel["histogram"]),
    )


def format_edge(channel: Mapping[str, Any], code: float, *, other: float) -> str:
    """Black or white; 0 where it is next to nothing beside what lies between them, as the script has it."""
    value = value_of(channel, code)
    width = abs(value - value_of(channel, other))
    return format_number(0 if abs(value) < NEGLIGIBLE * width else value)


def value_of(channel: Mapping[str, Any], code: float) -> float:
    """value = offset + scale * code ** power."""
    return float(channel["offset"] + channel["scale"] * code ** channel["power"])


def draw_outline(shares: list[float]) -> str:
    points = " ".join(f"L{place} {32 - 32 * share:.1f}" for place, share in enumerate(shares))
    return f"M0 32{points}L{max(0, len(shares) - 1)} 32z"


def list_facts(document: Mapping[str, Any]) -> list[str]:
    reduced = document["reduced_by"]
    found = [f"{document['width'] * reduced:,} by {document['height'] * reduced:,} pixels"]
    for count, name in ((document["depths"], "depths"), (document["times"], "times")):
        if count > 1:
            found.append(f"{count:,} {name}")
    size, step = document.get("pixel_size_um"), document.get("z_step_um")
    if size:
        found.append(f"a pixel is {format_number(size / reduced)} µm")
    if step:
        found.append(f"a step in depth {format_number(step)} µm")
    return found
