"""Damaged copies of a file, the same ones in every run: what disks, networks and hurried people do to one."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

PIECE = 64  # bytes


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


def blank(data: bytes, chance: random.Random) -> bytes:
    """A hole, as file systems leave it where they lost a block."""
    at = choose_place(data, chance)
    return data[:at] + bytes(len(data[at : at + PIECE])) + data[at + PIECE :]


def flip_bits(data: bytes, chance: random.Random) -> bytes:
    """One bit in each of eight places."""
    changed = bytearray(data)
    for _ in range(8):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def choose_place(data: bytes, chance: random.Random) -> int:
    return chance.randrange(max(1, len(data) - PIECE))


DAMAGES: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "cut off": cut_off,
    "piece lost": lose_piece,
    "overwritten": overwrite,
    "blanked": blank,
    "bits flipped": flip_bits,
}


def damaged_copies(name: str, data: bytes) -> Iterator[Copy]:
    """One of each damage, where it falls depends on the name and the damage alone."""
    for damage, do in DAMAGES.items():
        yield Copy(damage, do(data, random.Random(f"{name} {damage}")))
