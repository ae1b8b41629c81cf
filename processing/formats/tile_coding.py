"""Numbers of pixels as codes of tiles: exact where that fits, else rooted into eight bits and kept as JPEG."""

import io
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Codes = NDArray[Any]  # of uint8 or uint16
EXACT_RANGES = {
    "bool": (0, 1),
    "uint8": (0, 255),
    "uint16": (0, 65_535),
    "int8": (-128, 127),
    "int16": (-32_768, 32_767),
}
DEFLATE_LEVEL = 1
ROWS_AT_ONCE = 64


@dataclass(frozen=True)
class Coding:
    """value = offset + scale * code ** power. `quality` of JPEG; 0 where tiles are deflated, the low bytes first."""

    code_bytes: int
    offset: float
    scale: float
    power: int = 1
    quality: int = 0

    def codes_of(self, pixels: NDArray[Any]) -> Codes:
        if pixels.dtype == np.bool_:
            return pixels.astype(np.uint8)
        if self.power == 1 and self.scale == 1 and pixels.dtype.kind in "iu":
            wide = pixels if self.offset == 0 else pixels.astype(np.int32) - int(self.offset)
            return wide.astype(np.uint8 if self.code_bytes == 1 else np.uint16)
        bands = (pixels[top : top + ROWS_AT_ONCE] for top in range(0, len(pixels), ROWS_AT_ONCE))
        return np.concatenate([self._stepped(band) for band in bands])

    def _stepped(self, pixels: NDArray[Any]) -> Codes:
        """The nearest steps, in floats that take several times the room of the codes."""
        shares = np.nan_to_num((pixels.astype(np.float32) - np.float32(self.offset)) / np.float32(self.scale))
        most = 255 if self.code_bytes == 1 else 65_535
        rooted = np.sqrt(np.maximum(shares, 0)) if self.power == 2 else shares
        return np.clip(np.rint(rooted), 0, most).astype(np.uint8 if self.code_bytes == 1 else np.uint16)

    def value_of(self, code: float) -> float:
        return float(self.offset + self.scale * code**self.power)

    def encode(self, tile: Codes) -> bytes:
        tile = np.ascontiguousarray(tile)
        if self.quality:
            written = io.BytesIO()
            Image.fromarray(tile).save(written, "JPEG", quality=self.quality)
            return written.getvalue()
        if self.code_bytes == 1:
            return zlib.compress(tile.tobytes(), DEFLATE_LEVEL)
        return zlib.compress((tile & 255).astype(np.uint8).tobytes() + (tile >> 8).astype(np.uint8).tobytes(), 1)


def exact_coding(dtype: np.dtype[Any], *, low: float, high: float) -> Coding:
    """Whole numbers of up to 16 bits as they are; others in 65,535 steps between these two."""
    if dtype.name in EXACT_RANGES:
        return Coding(1 if dtype.itemsize == 1 else 2, EXACT_RANGES[dtype.name][0], 1)
    return Coding(2, low, (high - low) / 65_535 or 1.0)


def rooted_coding(*, low: float, high: float, quality: int) -> Coding:
    """Eight bits of the square root, as the noise of counted light grows with it."""
    return Coding(1, low, (high - low) / 255**2 or 1.0, power=2, quality=quality)
