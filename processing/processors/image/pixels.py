"""Numbers of an image, and how they are brought onto a screen."""

import io
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from processing.formats.numbers import simplify_number

Pixels = NDArray[np.generic]  # rows, columns and, where there are several, channels
ROWS_AT_ONCE = 1024
PERCENTILES = (1.0, 99.0)
HALF_BYTE_RANGE = 128
MAX_COUNTED_VALUES = 65_536  # distinct values of what is counted instead of sorted
LEAST_HOLE, FAR = 32, 0.25  # pixels; of the median, beside them
LEAST_OTHERS = 16  # of all other pixels, where those beside are dark themselves
LEAST_STRANGERS, MOST_STRANGERS = 4, 32  # pixels of one line, of two bytes or more each
HOLE = "Pixels that follow each other are zero, and no others are: the file may be damaged."

STRANGERS = "A few pixels side by side are far beyond all others of their picture: the file may be damaged."


@dataclass
class Statistics:
    """Least, greatest and mean of everything that was added; NaN and infinities are left out."""

    least: float = np.inf
    greatest: float = -np.inf
    total: float = 0.0
    count: int = 0

    def add(self, pixels: Pixels) -> None:
        values = pixels[np.isfinite(pixels)] if np.issubdtype(pixels.dtype, np.inexact) else pixels
        if values.size:
            self.least = min(self.least, float(values.min()))
            self.greatest = max(self.greatest, float(values.max()))
            self.total += float(values.sum(dtype=np.float64))
            self.count += values.size

    @property
    def mean(self) -> float:
        """With every digit; NaN of nothing."""
        return self.total / self.count if self.count else np.nan

    def facts(self) -> dict[str, float | int]:
        if not self.count:
            return {}
        mean = self.mean
        shown_mean = round(mean, 3) if abs(mean) >= 1 else float(f"{mean:.4g}")
        return {"min": simplify_number(self.least), "max": simplify_number(self.greatest), "mean": shown_mean}


def compute_percentiles(pixels: Pixels) -> tuple[float, float]:
    """The 1st and the 99th, with linear interpolation; by counting where there are few distinct values."""
    flat = pixels.ravel()
    if flat.dtype in (np.uint8, np.uint16):
        return compute_percentiles_by_counting(flat)
    values = flat[np.isfinite(flat)] if np.issubdtype(flat.dtype, np.inexact) else flat
    if not values.size:
        return 0.0, 0.0
    low, high = np.percentile(values.astype(np.float64), PERCENTILES)
    return float(low), float(high)


def compute_percentiles_by_counting(flat: NDArray[np.generic]) -> tuple[float, float]:
    up_to = np.cumsum(np.bincount(flat, minlength=1))
    low, high = (value_at(up_to, (flat.size - 1) * percentile / 100) for percentile in PERCENTILES)
    return low, high


def value_at(up_to: NDArray[np.intp], position: float) -> float:
    below = int(np.searchsorted(up_to, int(position), side="right"))
    above = int(np.searchsorted(up_to, min(int(position) + 1, up_to[-1] - 1), side="right"))
    return below + (above - below) * (position - int(position))


def has_hole(pixels: Pixels) -> bool:
    """Whether zeros follow each other, as pixels are stored, and stand nowhere else; others are far from it.

    What begins and ends with a line of the picture may be a border.
    """
    flat = pixels.reshape(-1)
    zeros = np.flatnonzero(flat == 0)
    line = pixels.size // max(1, pixels.shape[0])
    is_run = len(zeros) >= LEAST_HOLE and zeros[-1] - zeros[0] == len(zeros) - 1 and len(zeros) < flat.size // 2
    if not is_run or (zeros[0] % line == 0 and (zeros[-1] + 1) % line == 0):
        return False
    sizes = np.abs(flat.astype(np.float64))
    start, end = max(0, zeros[0] - 1), zeros[-1] + 2  # where half a number may be lost
    around = np.concatenate([sizes[:start], sizes[end:]])
    beside = [sizes[place] for place in (zeros[0] - 1, zeros[-1] + 1) if 0 <= place < flat.size]
    return min(beside) > FAR * float(np.median(sizes[sizes != 0])) or bool(len(around) and around.min() >= LEAST_OTHERS)


def list_pixel_doubts(pixels: Pixels) -> list[str]:
    """Of one plane as it is stored, with nothing that packs it and has a checksum."""
    judged = ((HOLE, has_hole), (STRANGERS, has_strangers))
    return [said for said, is_odd in judged if is_odd(pixels)]


def has_strangers(pixels: Pixels) -> bool:
    """Whether a few pixels, all in one line, are farther from the others than these from each other.

    What is bright by itself, as a grain or a bead, has more than one line; a hot pixel is alone.
    """
    if pixels.ndim != 2 or pixels.dtype.itemsize < 2 or pixels.shape[1] < 2 * MOST_STRANGERS or len(pixels) < 2:
        return False
    flat: NDArray[Any] = pixels.reshape(-1)
    ends = np.partition(flat, (MOST_STRANGERS, flat.size - 1 - MOST_STRANGERS))
    least, greatest = (float(ends[place]) for place in (MOST_STRANGERS, flat.size - 1 - MOST_STRANGERS))
    spread = greatest - least
    if not np.isfinite(spread) or spread <= 0:
        return False
    strangers = np.flatnonzero((flat > greatest + spread) | (flat < least - spread))
    return len(strangers) >= LEAST_STRANGERS and strangers[-1] - strangers[0] < 2 * MOST_STRANGERS


def render_image(pixels: Pixels) -> Image.Image:
    """An 8-bit image: stretched channel by channel when it is deeper, or uses less than half of its range."""
    channels = [pixels] if pixels.ndim == 2 else [pixels[..., place] for place in range(pixels.shape[2])][:3]
    if len(channels) == 2:
        channels = channels[:1]
    drawn = [Image.fromarray(stretch_contrast(np.ascontiguousarray(channel))) for channel in channels]
    return drawn[0] if len(drawn) == 1 else Image.merge("RGB", drawn)


def stretch_contrast(channel: Pixels) -> NDArray[np.uint8]:
    if channel.dtype == np.bool_:
        return channel.astype(np.uint8) * np.uint8(255)
    low, high = compute_percentiles(channel)
    if channel.dtype == np.uint8 and not 0 < high - low < HALF_BYTE_RANGE:
        return channel.astype(np.uint8, copy=False)
    if high <= low:  # nearly everything has one value: show what differs
        statistics = Statistics()
        statistics.add(channel)
        low, high = statistics.least, statistics.greatest
    scale = 255.0 / (high - low) if np.isfinite(high - low) and high > low else 0.0
    out = np.empty(channel.shape, dtype=np.uint8)
    for start in range(0, len(channel), ROWS_AT_ONCE):
        rows = np.nan_to_num(channel[start : start + ROWS_AT_ONCE].astype(np.float32))
        out[start : start + ROWS_AT_ONCE] = np.clip((rows - low) * scale, 0, 255)
    return out


def encode_png(image: Image.Image, *, most: int) -> bytes:
    """The image within a square of that many pixels, without anything that its file said about itself."""
    small = image.copy()
    small.thumbnail((most, most), Image.Resampling.LANCZOS, reducing_gap=2.0)
    written = io.BytesIO()
    small.save(written, "PNG", optimize=False)
    return written.getvalue()
