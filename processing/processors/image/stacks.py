"""Stacks as artefacts of a reading: several share the bytes that tiles may have."""

from collections.abc import Iterator, Sequence

import numpy as np

from processing.formats.stack import Channel, Stack
from processing.processors.image.pixels import Pixels
from processing.readings import MAX_TILES_BYTES, Artefact


def write_stacks(stacks: Sequence[Stack]) -> tuple[list[Artefact], list[str]]:
    """The artefacts, and what is to be said of them."""
    artefacts: list[Artefact] = []
    said: list[str] = []
    left = MAX_TILES_BYTES
    for number, stack in enumerate(stacks, start=1):
        made, words = stack.write(f"stack-{number}", most_bytes=left)
        left -= sum(one.path.stat().st_size for one in made if one.path)
        artefacts += made
        said += words
    return artefacts, list(dict.fromkeys(said))


def stack_of_pixels(pixels: Pixels, *, title: str) -> Stack:
    """One plane that is in memory: rows, columns and perhaps red, green and blue."""

    def read_plane(time: int, depth: int, group: int) -> Iterator[Pixels]:
        yield pixels if pixels.ndim == 2 or pixels.shape[2] >= 3 else pixels[..., 0]

    colored = pixels.ndim == 3 and pixels.shape[2] >= 3
    names = ("Red", "Green", "Blue") if colored else ("Intensity",)
    return Stack(
        title=title,
        width=pixels.shape[1],
        height=pixels.shape[0],
        dtype=np.dtype(pixels.dtype),
        channels=[Channel(name) for name in names],
        read_plane=read_plane,
        samples=len(names),
    )
