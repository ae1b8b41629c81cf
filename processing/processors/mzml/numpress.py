"""MS-Numpress (Teleman et al. 2014): numbers as small differences in half bytes, or as 16-bit logarithms."""

import struct
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from processing.readings import Unreadable

Floats = NDArray[np.float64]


def linear(content: bytes) -> Floats:
    """Each number is told by how far it lies from the line through the two before it."""
    scale = scale_of(content)
    found = list(struct.unpack_from(f"<{min(2, (len(content) - 8) // 4)}i", content, 8))
    for difference in integers(content, start=16):
        found.append(2 * found[-1] - found[-2] + difference)
    return np.array(found, dtype=np.float64) / scale


def logarithms(content: bytes) -> Floats:
    """Short logged floats."""
    shorts = np.frombuffer(content[8 : len(content) - len(content) % 2], dtype="<u2")
    return np.expm1(shorts.astype(np.float64) / scale_of(content))


def whole(content: bytes) -> Floats:
    """Positive integers, counts mostly."""
    return np.array(list(integers(content, start=0)), dtype=np.float64)


def scale_of(content: bytes) -> float:
    if len(content) < 8:
        raise Unreadable("An array packed with MS-Numpress is cut off.")
    scale = struct.unpack_from(">d", content)[0]
    if not scale > 0:
        raise Unreadable("An array packed with MS-Numpress is damaged.")
    return float(scale)


def integers(content: bytes, *, start: int) -> Iterator[int]:
    """Of 32 bits. The first half byte says how many leading ones are left out: 0s up to 8, Fs beyond."""
    halves = [half for byte in content[start:] for half in (byte >> 4, byte & 0xF)]
    place = 0
    while place < len(halves):
        head = halves[place]
        left_out = head if head <= 8 else head - 8
        digits = halves[place + 1 : place + 9 - left_out]
        place += 9 - left_out
        if len(digits) < 8 - left_out:  # what remains of the last byte
            return
        number = sum(digit << (4 * position) for position, digit in enumerate(digits))
        if head > 8:
            number |= (0xFFFFFFFF << (4 * (8 - left_out))) & 0xFFFFFFFF
        yield number - (1 << 32) if number >= 1 << 31 else number
