"""Pages of a TIFF too large to be decoded at once: every n-th pixel of every n-th line, segment by segment."""

import math

import numpy as np
from tifffile import COMPRESSION, TiffPage

from processing.processors.image.limits import MAX_PIXELS, check_pixels
from processing.processors.image.pixels import Pixels
from processing.readings import MIB, Unreadable, Unrecognised

MAX_PAGE_BYTES = 600 * MIB
MAX_SEGMENT_BYTES = 256 * MIB
READ_AHEAD_BYTES = 16 * MIB
MAX_KEPT_PIXELS = 8_000_000
MAX_COMPRESSION_RATIO = 200


def is_large(page: TiffPage) -> bool:
    return page.imagewidth * page.imagelength * max(1, page.imagedepth) > MAX_PIXELS or page.nbytes > MAX_PAGE_BYTES


def choose_step(page: TiffPage) -> int:
    return max(2, math.ceil(math.sqrt(page.imagewidth * page.imagelength / MAX_KEPT_PIXELS)))


def read_sparsely(page: TiffPage, *, step: int) -> Pixels:
    """Rows, columns and, where there are several, channels. Unreadable: it announces more than is stored.

    Unrecognised: it cannot be read in parts.
    """
    check_stored_bytes(page)
    if page.imagedepth > 1 or page.dtype is None or page.planarconfig == 2:
        raise Unrecognised("It is kept, and not read: its first image is too large, and cannot be read in parts.")
    return read_lines(page, step=step) if page.is_contiguous else read_segments(page, step=step)


def check_stored_bytes(page: TiffPage) -> None:
    """A few bytes that announce thousands of millions of pixels are no image."""
    ratio = 1 if page.compression == COMPRESSION.NONE else MAX_COMPRESSION_RATIO
    if page.nbytes > ratio * sum(page.databytecounts):
        check_pixels(page.imagewidth, page.imagelength)
        raise Unreadable("It announces more than it holds.")


def read_lines(page: TiffPage, *, step: int) -> Pixels:
    """Of what is stored plainly: no line more than is kept."""
    line = page.imagewidth * page.samplesperpixel
    stored = page.parent.byteorder + np.dtype(page.dtype).char
    found = []
    for row in range(0, page.imagelength, step):
        page.parent.filehandle.seek(page.dataoffsets[0] + row * line * np.dtype(stored).itemsize)
        found.append(page.parent.filehandle.read_array(stored, line).reshape(page.imagewidth, -1)[::step])
    pixels = np.stack(found).astype(page.dtype)
    return pixels[..., 0] if page.samplesperpixel == 1 else pixels


def read_segments(page: TiffPage, *, step: int) -> Pixels:
    """Of tiles or strips, one after the other."""
    if page.chunks and math.prod(page.chunks) * np.dtype(page.dtype).itemsize > MAX_SEGMENT_BYTES:
        raise Unrecognised("It is kept, and not read: its first image is too large, and stored in one piece.")
    shape = (-(-page.imagelength // step), -(-page.imagewidth // step), page.samplesperpixel)
    pixels = np.zeros(shape, dtype=page.dtype)
    for segment, (_, _, top, left, _), (_, height, width, _) in page.segments(
        maxworkers=1, buffersize=READ_AHEAD_BYTES
    ):
        if segment is None:
            continue
        tile = segment[0, -top % step : height : step, -left % step : width : step]
        row, column = -(-top // step), -(-left // step)
        room = pixels[row : row + tile.shape[0], column : column + tile.shape[1]]
        room[...] = tile[: room.shape[0], : room.shape[1]]
    return pixels[..., 0] if page.samplesperpixel == 1 else pixels
