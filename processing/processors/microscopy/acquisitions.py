"""What microscopes write, whatever the format: images of many planes, their facts, and how they become an output."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import numpy as np

from processing.facts import Facts
from processing.formats.stack import Stack
from processing.processors.image.large_pages import MAX_KEPT_PIXELS, MAX_PAGE_BYTES
from processing.processors.image.limits import MAX_PIXELS
from processing.processors.image.pixels import Pixels
from processing.processors.image.reader import build_output
from processing.processors.image.stacks import write_stacks
from processing.processors.image.tiff import MAX_MEASURED_PIXELS
from processing.readings import Input, Output, Unreadable

MAX_IMAGES = 8
Place = tuple[int, int, int]  # time, depth, group
PLANE_ERRORS = (OSError, ValueError, KeyError, IndexError, RuntimeError, AssertionError, EOFError)


@dataclass
class Planes:
    """`Stack.read_plane` that draws black what the file lacks or cannot give, and counts it."""

    height: int
    width: int
    dtype: np.dtype[Any]
    samples: int
    read: Callable[[int, int, int], Iterator[Pixels]]  # LookupError: there is no such plane
    lost: set[Place] = field(default_factory=set)  # never taken
    damaged: set[Place] = field(default_factory=set)

    def __call__(self, time: int, depth: int, group: int) -> Iterator[Pixels]:
        rows_given = 0
        try:
            for rows in self.read(time, depth, group):
                rows_given += len(rows)
                yield rows
        except PlaneNotTaken:
            self.lost.add((time, depth, group))
        except PLANE_ERRORS:
            self.damaged.add((time, depth, group))
        if rows_given < self.height:
            shape: tuple[int, ...] = (self.height - rows_given, self.width)
            yield np.zeros(shape if self.samples == 1 else (*shape, self.samples), dtype=self.dtype)


class PlaneNotTaken(Exception):
    """The acquisition was to have this plane, and the file does not name it."""


@dataclass
class Acquisition:
    facts: Facts
    stacks: list[Stack]
    taken_at: datetime | None = None
    images: int = 0  # all of them, of which the first are shown
    warnings: list[str] = field(default_factory=list)


def build_acquisition_output(given: Input, found: Acquisition) -> Output:
    """Facts, a picture of the first plane, every plane of the first images; Unreadable: it holds none."""
    if not found.stacks:
        raise Unreadable(found.warnings[0] if found.warnings else "It holds no image.")
    first, warnings = found.stacks[0], found.warnings
    pixels, step = read_first_plane(first)
    if step > 1:
        warnings.append(f"The image is large: picture and numbers are of every {step}th pixel of every {step}th line.")
    frames = iter([pixels]) if step > 1 else measured_rows(found.stacks, warnings)
    for key, value in (("dtype", str(first.dtype)), ("width", first.width), ("height", first.height)):
        found.facts.add(key, value)
    output = build_output(pixels, frames, found.facts, title=given.filename, taken_at=found.taken_at, given=given)
    shown, said = write_stacks(found.stacks)
    if found.images > len(found.stacks):
        said.append(f"The first {len(found.stacks)} of {found.images:,} images are shown.")
    return Output(
        run=output.run,
        file=output.file,
        acquired_at=output.acquired_at,
        artefacts=[*output.artefacts, *shown],
        warnings=list(dict.fromkeys([*warnings, *said, *describe_gaps(found.stacks)])),
    )


def describe_gaps(stacks: Sequence[Stack]) -> Iterator[str]:
    planes = [stack.read_plane for stack in stacks if isinstance(stack.read_plane, Planes)]
    total = sum(stack.times * stack.depths * stack.groups for stack in stacks)
    if damaged := sum(len(one.damaged) for one in planes):
        yield f"{damaged:,} of {total:,} planes cannot be read and are black: the file is damaged or incomplete."
    if lost := sum(len(one.lost) for one in planes):
        yield f"{lost:,} of {total:,} planes are not in the file and are black: it may have been ended early."


def check_plane(width: int, height: int, dtype: np.dtype[Any], *, samples: int = 1) -> None:
    """Of what is decoded at once. Unreadable: more than fits."""
    if width < 1 or height < 1:
        raise Unreadable("It has no pixels.")
    if width * height * samples * dtype.itemsize > MAX_PAGE_BYTES:
        raise Unreadable("A single plane of it is too large to be decoded.")


def read_first_plane(stack: Stack) -> tuple[Pixels, int]:
    """Its pixels, and of how many in a line and of lines each is one: more than one where the plane is large."""
    step = 1
    if stack.width * stack.height > MAX_PIXELS:
        step = max(2, math.ceil(math.sqrt(stack.width * stack.height / MAX_KEPT_PIXELS)))
    kept, top = [], 0
    for rows in stack.read_plane(0, 0, 0):
        kept.append(rows[-top % step :: step, ::step])
        top += len(rows)
    return np.concatenate(kept), step


def measured_rows(stacks: Sequence[Stack], warnings: list[str]) -> Iterator[Pixels]:
    """The rows of all planes, as long as they are not too many pixels; a word where they are."""
    seen = planes = 0
    total = sum(stack.times * stack.depths * stack.groups for stack in stacks)
    for stack in stacks:
        for time, depth, group in np.ndindex(stack.times, stack.depths, stack.groups):
            seen += stack.width * stack.height * stack.samples
            if seen > MAX_MEASURED_PIXELS:
                warnings.append(f"Least, greatest and mean are of the first {planes:,} of {total:,} planes.")
                return
            planes += 1
            yield from stack.read_plane(time, depth, group)


def number_of_place(axes: Sequence[tuple[str, int]], places: Mapping[str, int]) -> int:
    """The number of a plane among those of all axes, the last of which runs fastest.

    Several axes of one kind count through, the last one first.
    """
    left, number, step = dict(places), 0, 1
    for kind, size in reversed(axes):
        left[kind], place = divmod(left.get(kind, 0), size)
        number, step = number + place * step, step * size
    return number


def count_of_kind(axes: Sequence[tuple[str, int]], kind: str) -> int:
    return math.prod(size for axis, size in axes if axis == kind)
