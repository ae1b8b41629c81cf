"""Pictures: their numbers, and previews for a screen. What cameras write about places and people is left out."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
from PIL import Image

from processing.complaints import gather_complaints
from processing.facts import Facts, shorten_text
from processing.formats.stack import Stack
from processing.formats.trace_facts import round_fact
from processing.processors.image.limits import check_pixels
from processing.processors.image.pixels import (
    Pixels,
    Statistics,
    compute_percentiles,
    encode_png,
    list_pixel_doubts,
    render_image,
)
from processing.processors.image.planes import list_stacks
from processing.processors.image.stacks import stack_of_pixels, write_stacks
from processing.processors.image.tiff import open_tiff
from processing.readings import HEAD_BYTES, Artefact, Input, Json, Kind, Output
from processing.recognition.signatures import TIFF_SIGNATURES

Image.MAX_IMAGE_PIXELS = None  # Pillow only warns up to twice its limit; check_pixels refuses at ours
PILLOW_FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "JPEG2000", "PPM")
MAX_COMPLAINT = 160  # characters
THUMBNAIL_PIXELS, PREVIEW_PIXELS = 512, 2048


def read(given: Input) -> Output:
    with given.path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    return read_tiff(given) if head.startswith(TIFF_SIGNATURES) else read_picture(given)


def read_tiff(given: Input) -> Output:
    with gather_complaints("tifffile") as complaints:
        return with_complaints(read_pages(given), complaints)


def with_complaints(output: Output, complaints: list[str]) -> Output:
    """Tags that cannot be read are left out by the library, and pages behind a broken one."""
    if not complaints:
        return output
    said = f"Parts of the TIFF cannot be read ({shorten_text(complaints[0], MAX_COMPLAINT)}): it may be damaged."
    return replace(output, warnings=[*output.warnings, said])


def read_pages(given: Input) -> Output:
    tiff = open_tiff(given.path, zone=given.time_zone)
    facts = Facts()
    facts.add("format", "TIFF")
    for key, value in tiff.facts.items():
        if key == "format":
            facts.values[key] = set()
        facts.add_all(key, value if isinstance(value, list) else [value])
    facts.add("pages", tiff.pages)
    taken_at = tiff.taken_at
    output = build_output(tiff.pixels, tiff.frames, facts, title=given.filename, taken_at=taken_at, given=given)
    stacks, said = list_stacks(tiff.file, title=given.filename)
    shown, omitted = write_stacks(stacks)
    return replace(
        output,
        run={**output.run, **describe_lengths(stacks)},
        file={**output.file, "array_shape": list[Json](map(int, tiff.file.series[0].shape))},
        artefacts=[*output.artefacts, *shown],
        warnings=[*tiff.warnings, *said, *omitted],
    )


def describe_lengths(stacks: Sequence[Stack]) -> dict[str, Json]:
    """Of the first image: what a pixel, a step of depth and one of time are, in whatever units the file has them."""
    first = stacks[0] if stacks else None
    stated = {key: getattr(first, key, None) for key in ("pixel_size_um", "z_step_um", "interval_s")}
    return {key: round_fact(value) for key, value in stated.items() if value is not None}


def read_picture(given: Input) -> Output:
    """PNG, JPEG, GIF, WebP, BMP, JPEG 2000, PPM and PGM. The size is known and judged before a pixel is decoded."""
    with Image.open(given.path, formats=PILLOW_FORMATS) as image:
        check_pixels(*image.size)
        pixels = np.asarray(convert_to_plain_mode(image))
        facts = Facts()
        facts.add("format", image.format)
        facts.add("width", image.width)
        facts.add("height", image.height)
        facts.add("dtype", str(pixels.dtype))
        facts.add("pages", getattr(image, "n_frames", 1))
    output = build_output(pixels, iter([pixels]), facts, title=given.filename, taken_at=None, given=given)
    shown, said = write_stacks([stack_of_pixels(pixels, title=given.filename)])
    return replace(output, artefacts=[*output.artefacts, *shown], warnings=[*output.warnings, *said])


def convert_to_plain_mode(image: Image.Image) -> Image.Image:
    """Grey or colour, without palette and transparency."""
    if image.mode in ("L", "RGB") or image.mode.startswith(("I", "F")):
        return image
    if image.mode in ("1", "LA", "La"):
        return image.convert("L")
    return image.convert("RGBA").convert("RGB") if image.mode == "P" else image.convert("RGB")


def build_output(
    pixels: Pixels, frames: Iterator[Pixels], facts: Facts, *, title: str, taken_at: datetime | None, given: Input
) -> Output:
    statistics = Statistics()
    doubts: dict[str, None] = {}
    for frame in frames:
        statistics.add(frame)
        doubts |= dict.fromkeys(list_pixel_doubts(frame))
    low, high = compute_percentiles(pixels)
    facts.add("technique", "imaging")
    for key, value in (statistics.facts() | {"percentile_1": low, "percentile_99": high}).items():
        facts.add(key, value)
    if taken_at is not None:
        facts.add_times([taken_at])
    about: dict[str, Json] = {"pixel_mean": round_fact(statistics.mean)} if statistics.count else {}
    if taken_at and taken_at.tzinfo is given.time_zone:
        about["assumed_time_zone"] = str(given.time_zone)
    return Output(
        run=facts.as_json(),
        file=about,
        acquired_at=taken_at.astimezone(UTC) if taken_at else None,
        artefacts=build_previews(render_image(pixels), title=title),
        warnings=list(doubts),
    )


def build_previews(image: Image.Image, *, title: str) -> list[Artefact]:
    """A thumbnail, and a larger preview where there is more to see."""
    made = [Artefact("thumbnail.png", Kind.IMAGE, "image/png", encode_png(image, most=THUMBNAIL_PIXELS), title)]
    if max(image.size) > THUMBNAIL_PIXELS:
        made.append(Artefact("preview.png", Kind.IMAGE, "image/png", encode_png(image, most=PREVIEW_PIXELS), title))
    return made
