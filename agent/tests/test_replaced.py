"""Another file of the same size and time put in the place of one that is on its way: both are kept."""

import os
import sys
from pathlib import Path

import pytest

from agent.tests.gate import Answer, Gate
from agent.tests.lab import MIB, Lab, made, sha256, wait_until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there nobody replaces a file that is open")
LARGE = 101 * MIB  # which goes in parts


def replace_alike(place: Path, data: bytes) -> None:
    """As a program does that writes beside and renames, and keeps the time."""
    seen, beside = place.stat(), place.with_name(f".{place.name}")
    assert seen.st_size == len(data)
    beside.write_bytes(data)
    os.utime(beside, ns=(seen.st_atime_ns, seen.st_mtime_ns))
    beside.replace(place)


def shas(lab: Lab) -> set[str]:
    return {file["sha256"] for file in lab.stored().values()}


def test_a_file_replaced_while_it_is_sent_is_sent_too(lab: Lab):
    lab.init(rescan_seconds=60)
    place, old, new = lab.write("R1/a.csv", made(1, 3000)), made(1, 3000), made(2, 3000)
    waiting = [new]

    def rule(method: str, path: str, body: object) -> Answer | None:
        if path.endswith("/request-upload-url") and waiting:
            replace_alike(place, waiting.pop())
        return None

    with Gate(lab.url, rule) as gate:
        lab.set(server=gate.url)
        lab.start()
        wait_until(lambda: shas(lab) == {sha256(old), sha256(new)})
        wait_until(lambda: lab.states() == {"R1/a.csv": "uploaded"}, what="the journal knows it")


def test_parts_of_a_file_that_was_replaced_are_not_taken_for_its_own(lab: Lab):
    lab.init(rescan_seconds=60)
    place = lab.write("R1/a.raw", made(1, LARGE))
    new = made(1, MIB) + made(2, LARGE - MIB)
    waiting = [new]

    def rule(method: str, path: str, body: object) -> Answer | None:
        if path.endswith("/multipart-upload/complete") and waiting:
            replace_alike(place, waiting.pop())
            return 503, {}
        return None

    with Gate(lab.url, rule) as gate:
        lab.set(server=gate.url)
        lab.start()
        wait_until(lambda: sha256(new) in shas(lab), seconds=120)
        wait_until(lambda: lab.states() == {"R1/a.raw": "uploaded"}, what="the journal knows it")
