"""The pixels of a subblock of CZI: stored plainly, or compressed as JPEG, JPEG XR, LZW or Zstandard."""

from collections.abc import Callable
from typing import Any

import imagecodecs
import numpy as np

from processing.processors.image.pixels import Pixels

JPEG, JPEG_XR = 1, 4
IMAGE_CODECS: dict[int, Callable[[bytes], Any]] = {
    JPEG: imagecodecs.jpeg8_decode,
    JPEG_XR: imagecodecs.jpegxr_decode,
}  # these give red, green, blue


def decode_pixels(entry: Any, *, samples: int) -> Pixels:
    """Rows, columns and, of colours, red, green and blue. ValueError: damaged, or compressed in another way."""
    stored, shape = np.dtype(entry.dtype), stored_shape(entry)
    data = entry.data_segment().data(raw=True)
    pixels = decode_image(entry.compression, data, shape, stored)
    if np.iscomplexobj(pixels):
        pixels = np.abs(pixels).astype(np.float32)
    if samples == 1:
        return pixels[..., 0]
    if pixels.shape[2] == 1:  # a grey tile among coloured ones
        return np.repeat(pixels, 3, axis=2)
    return pixels[..., :3] if entry.compression in IMAGE_CODECS else pixels[..., 2::-1]


def stored_shape(entry: Any) -> tuple[int, int, int]:
    sizes = {dim.dimension: dim.stored_size for dim in entry.dimension_entries}
    samples = np.dtype(entry.dtype).shape
    return sizes["Y"], sizes["X"], samples[0] if samples else 1


def decode_image(compression: int, data: bytes, shape: tuple[int, int, int], stored: np.dtype[Any]) -> Pixels:
    if compression in IMAGE_CODECS:
        try:
            return np.asarray(IMAGE_CODECS[compression](data)).reshape(shape)
        except RuntimeError as error:
            raise ValueError(str(error)) from error
    plain = unpack(compression, data, shape, stored)
    if len(plain) < np.prod(shape) * stored.base.itemsize:
        raise ValueError("A tile holds fewer pixels than it announces.")
    return np.frombuffer(plain, stored.base, int(np.prod(shape))).reshape(shape)


def unpack(compression: int, data: bytes, shape: tuple[int, int, int], stored: np.dtype[Any]) -> bytes:
    most = int(np.prod(shape)) * stored.base.itemsize
    try:
        match compression:
            case 0:
                return data
            case 2:
                return bytes(imagecodecs.lzw_decode(data, out=most))
            case 5:  # Zstandard
                return bytes(imagecodecs.zstd_decode(data, out=most))
            case 6:  # the same behind a header
                return unpack_with_header(data, most)
    except RuntimeError as error:
        raise ValueError(str(error)) from error
    raise ValueError(f"Compression {compression} is not known.")


def unpack_with_header(data: bytes, most: int) -> bytes:
    """Zstandard behind a header of one or three bytes, which says whether low and high bytes stand apart."""
    length = data[0] if data else 0
    if length not in (1, 3):
        raise ValueError("A tile has an unknown header.")
    is_apart = length == 3 and data[1] == 1 and bool(data[2] & 1)
    plain = bytes(imagecodecs.zstd_decode(data[length:], out=most))
    if not is_apart:
        return plain
    half = len(plain) // 2
    return np.stack(
        [np.frombuffer(plain, np.uint8, half), np.frombuffer(plain, np.uint8, half, half)], axis=-1
    ).tobytes()
