"""The agent killed at random points: in the end every file is there exactly once, with its bytes."""

import hashlib
import os
import random
import threading
import time
from typing import Any

import pytest
import requests

from agent.tests.gate import Answer, Gate
from agent.tests.lab import KIB, MIB, PATIENCE, Lab, made, sha256, wait_until

KILLS = 20
SMALL_FILES, BIG_SIZE = 500, 1024 * MIB


def write_big(lab: Lab, path: str, size: int, *, seed: int) -> str:
    """A file of random bytes, without holding it; answers its SHA-256."""
    place, digest = lab.folder / path, hashlib.sha256()
    place.parent.mkdir(parents=True, exist_ok=True)
    source = random.Random(seed)
    with place.open("wb") as stream:
        for _ in range(size // (4 * MIB)):
            block = source.randbytes(4 * MIB)
            digest.update(block)
            stream.write(block)
    return digest.hexdigest()


def read_stored(lab: Lab, file_id: int) -> str:
    """The SHA-256 of what the service gives out."""
    link, digest = lab.call("GET", f"files/{file_id}/download"), hashlib.sha256()
    with requests.get(link["download_url"], stream=True, timeout=60) as answer:
        for block in answer.iter_content(MIB):
            digest.update(block)
    return digest.hexdigest()


def assert_journal_agrees(lab: Lab, expected: dict[str, str]) -> None:
    stored, journal = lab.stored(), lab.journal()
    assert {path: file["sha256"] for (_, path), file in stored.items()} == expected
    assert {path: (row["state"], row["sha256"], row["file_id"]) for path, row in journal.items()} == {
        path: ("uploaded", file["sha256"], file["id"]) for (_, path), file in stored.items()
    }


@pytest.mark.faults
@pytest.mark.slow
@pytest.mark.big
def test_killed_twenty_times_during_500_files_and_a_gibibyte(lab: Lab):
    chance = random.Random(os.environ.get("IDS_TEST_SEED", "20 kills"))
    expected = {"big/scan.raw": write_big(lab, "big/scan.raw", BIG_SIZE, seed=1)}
    lab.init(stability_seconds=0.5)

    for kill in range(KILLS):
        for number in range(kill * SMALL_FILES // KILLS, (kill + 1) * SMALL_FILES // KILLS):
            path, data = f"R{number % 9}/plate {number}.csv", made(number, chance.randrange(0, 200 * KIB))
            lab.write(path, data)
            expected[path] = sha256(data)
        agent = lab.start()
        time.sleep(chance.uniform(0.3, 4))  # the random point
        agent.kill()
        agent.wait(30)
    lab.start()
    wait_until(
        lambda: list(lab.states().values()).count("uploaded") == len(expected),
        seconds=600,
        what="all are uploaded",
    )

    assert_journal_agrees(lab, expected)
    assert read_stored(lab, lab.stored()["big", "big/scan.raw"]["id"]) == expected["big/scan.raw"]
    sent = {event["details"]["relative_path"]: event for event in lab.events("file_uploaded")}
    assert set(sent) == set(expected)


def test_killed_in_the_middle_of_parts_it_sends_only_the_missing_ones(lab: Lab):
    expected = {"R1/scan.raw": write_big(lab, "R1/scan.raw", 132 * MIB, seed=2)}
    lab.init(bandwidth_limit_mib=60)
    is_killed = threading.Event()

    def hold_last_part(method: str, path: str, body: Any) -> Answer | None:
        if path.endswith("/part-urls") and body["parts"][0]["part_number"] == 3:
            is_killed.wait(120)
        return None

    with Gate(lab.url, hold_last_part) as gate:
        lab.set(server=gate.url)
        agent = lab.start()
        wait_until(lambda: lab.parts() >= 1, what="the first part is there")
        agent.kill()
        agent.wait(30 * PATIENCE)
        is_killed.set()
    known = lab.parts()

    lab.set(server=lab.url, bandwidth_limit_mib=None)
    lab.start()
    lab.wait_stored(1)
    [event] = wait_until(lambda: lab.events("file_uploaded"))

    assert event["details"]["bytes_sent"] == 132 * MIB - known * 64 * MIB
    assert_journal_agrees(lab, expected)
