"""Damage within what is packed: the archive is whole, and what it holds is not. Other files stay as they are."""

import gzip
import io
import random
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress

Members = list[tuple[zipfile.ZipInfo, bytes]]


def on_members(change: Callable[[Members, random.Random], Members]) -> Callable[[bytes, random.Random], bytes]:
    def damage(data: bytes, chance: random.Random) -> bytes:
        if not data.startswith(b"PK"):
            return data
        with suppress(zipfile.BadZipFile):
            return pack(change(list(unpack(data)), chance))
        return data

    return damage


def unpack(data: bytes) -> Iterator[tuple[zipfile.ZipInfo, bytes]]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for member in archive.infolist():
            yield member, archive.read(member)


def pack(members: Members) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, content in members:
            archive.writestr(member, content)
    return packed.getvalue()


def cut_member(members: Members, chance: random.Random) -> Members:
    at = choose_member(members, chance)
    member, content = members[at]
    return [*members[:at], (member, content[: int(len(content) * chance.uniform(0.2, 0.9))]), *members[at + 1 :]]


def lose_member(members: Members, chance: random.Random) -> Members:
    at = choose_member(members, chance)
    return members[:at] + members[at + 1 :]


def zero_member(members: Members, chance: random.Random) -> Members:
    at = choose_member(members, chance)
    member, content = members[at]
    return [*members[:at], (member, bytes(len(content))), *members[at + 1 :]]


def choose_member(members: Members, chance: random.Random) -> int:
    """One of the larger ones: that is where the numbers are."""
    large = sorted(range(len(members)), key=lambda n: len(members[n][1]))[len(members) // 2 :]
    return chance.choice(large)


def cut_gzip(data: bytes, chance: random.Random) -> bytes:
    """The file packed with gzip, and cut off."""
    packed = gzip.compress(data, mtime=0)
    return packed[: int(len(packed) * chance.uniform(0.2, 0.98))]


CONTAINER_DAMAGES = {
    "a member cut": on_members(cut_member),
    "a member lost": on_members(lose_member),
    "a member of zeros": on_members(zero_member),
    "gzip cut off": cut_gzip,
}
