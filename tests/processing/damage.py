"""Damaged copies of a file, the same ones in every run: what disks, networks and hurried people do to one.

What no reader can see is not among them: a digit that became another digit, one row left out of a list without count.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.processing.damage_to_archives import CONTAINER_DAMAGES
from tests.processing.damage_to_lines import LINE_DAMAGES

PIECE, BLOCK = 64, 512  # bytes
Damage = Callable[[bytes, random.Random], bytes]


@dataclass(frozen=True)
class Copy:
    damage: str
    data: bytes


def cut_off(data: bytes, chance: random.Random) -> bytes:
    """A transfer that ended."""
    return data[: max(1, int(len(data) * chance.uniform(0.05, 0.98)))]


def lose_piece(data: bytes, chance: random.Random) -> bytes:
    at = choose_place(data, chance)
    return data[:at] + data[at + PIECE :]


def overwrite(data: bytes, chance: random.Random) -> bytes:
    """By something that is not of this file."""
    at = choose_place(data, chance)
    return data[:at] + chance.randbytes(len(data[at : at + PIECE])) + data[at + PIECE :]


def blank(data: bytes, chance: random.Random, *, size: int = PIECE) -> bytes:
    """A hole, as file systems leave it where they lost a block."""
    at = choose_place(data, chance)
    return data[:at] + bytes(len(data[at : at + size])) + data[at + size :]


def blank_block(data: bytes, chance: random.Random) -> bytes:
    return blank(data, chance, size=BLOCK)


def blank_end(data: bytes, chance: random.Random) -> bytes:
    """The length is right, the rest was never written."""
    at = int(len(data) * chance.uniform(0.3, 0.95))
    return data[:at] + bytes(len(data) - at)


def flip_bits(data: bytes, chance: random.Random) -> bytes:
    """One bit in each of eight places."""
    changed = bytearray(data)
    for _ in range(8):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def repeat_block(data: bytes, chance: random.Random) -> bytes:
    """Sent twice."""
    at = choose_place(data, chance)
    return data[: at + BLOCK] + data[at:]


def exchange_blocks(data: bytes, chance: random.Random) -> bytes:
    """Written in the wrong order."""
    if len(data) < 4 * BLOCK:
        return data
    one = chance.randrange(len(data) // 2 - BLOCK)
    other = len(data) // 2 + chance.randrange(len(data) // 2 - BLOCK)
    here, there = data[one : one + BLOCK], data[other : other + BLOCK]
    return data[:one] + there + data[one + BLOCK : other] + here + data[other + BLOCK :]


def append_garbage(data: bytes, chance: random.Random) -> bytes:
    return data + chance.randbytes(4 * PIECE)


def append_itself(data: bytes, _: random.Random) -> bytes:
    """Two exports in one file."""
    return data + data


def convert_line_ends(data: bytes, _: random.Random) -> bytes:
    """A binary file that was sent as a text."""
    return data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n") if b"\0" in data else data


def replace_bytes_beyond_ascii(data: bytes, _: random.Random) -> bytes:
    """A binary file that went through a program that knows texts only."""
    return data.decode("utf-8", errors="replace").encode() if b"\0" in data else data


def empty(_: bytes, __: random.Random) -> bytes:
    return b""


def zero(data: bytes, _: random.Random) -> bytes:
    return bytes(len(data))


def choose_place(data: bytes, chance: random.Random) -> int:
    return chance.randrange(max(1, len(data) - PIECE))


DAMAGES: dict[str, Damage] = {
    "cut off": cut_off,
    "piece lost": lose_piece,
    "overwritten": overwrite,
    "blanked": blank,
    "block blanked": blank_block,
    "end blanked": blank_end,
    "bits flipped": flip_bits,
    "block repeated": repeat_block,
    "blocks exchanged": exchange_blocks,
    "garbage appended": append_garbage,
    "appended to itself": append_itself,
    "sent as text": convert_line_ends,
    "characters replaced": replace_bytes_beyond_ascii,
    "empty": empty,
    "zeros": zero,
    **LINE_DAMAGES,
    **CONTAINER_DAMAGES,
}


def damaged_copies(name: str, data: bytes, damages: list[str] | None = None, *, seed: str = "") -> Iterator[Copy]:
    """One of each damage that changes the file; where it falls depends on name, damage and seed alone."""
    for damage in damages or DAMAGES:
        copy = DAMAGES[damage](data, random.Random(" ".join(filter(None, (name, damage, seed)))))
        if copy != data:
            yield Copy(damage, copy)
