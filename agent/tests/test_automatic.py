"""Automatic mode: what the instrument writes arrives, once, with its bytes."""

import os
import sys
import time
import unicodedata

import pytest

from agent.tests.lab import KIB, MIB, Lab, made, sha256, wait_until
from agent.tests.links import needs_links


def test_every_file_arrives_once_with_its_bytes(lab: Lab):
    expected = {f"R{number % 5}/plate {number}.csv": made(number, 3 * KIB + number) for number in range(40)}
    expected |= {"R0/empty.csv": b"", "R1/deep/er/scan.raw": made(99, 3 * MIB)}
    for path, data in expected.items():
        lab.write(path, data)
    lab.init()

    lab.start()
    stored = lab.wait_stored(len(expected))

    assert {path: file["sha256"] for (_, path), file in stored.items()} == {
        path: sha256(data) for path, data in expected.items()
    }
    assert {path: lab.download(file["id"]) for (_, path), file in stored.items()} == expected
    assert {run_id for run_id, _ in stored} == {"R0", "R1", "R2", "R3", "R4"}


def test_a_file_written_while_it_watches_is_found_by_its_event(lab: Lab):
    lab.init(rescan_seconds=3600)
    lab.start()
    wait_until(lambda: lab.events("watcher_started"))

    lab.write("R7/new folder/late.csv", b"1,2,3")

    assert ("R7", "R7/new folder/late.csv") in lab.wait_stored(1)


def test_a_growing_file_is_left_alone_until_it_is_complete(lab: Lab):
    lab.init(stability_seconds=4)  # a computer that stands still for seconds writes nothing either
    lab.start()
    place = lab.write("R1/growing.raw", b"")

    with place.open("ab") as stream:
        for number in range(18):
            stream.write(made(number, 1000))
            stream.flush()  # a pace shorter than the stability period, and for longer than that
            time.sleep(0.25)
            assert "R1/growing.raw" not in lab.states()
    stored = lab.wait_stored(1)

    assert stored["R1", "R1/growing.raw"]["size_bytes"] == 18_000


def test_names_in_any_script_and_both_normal_forms_stay_as_they_are(lab: Lab):
    composed = unicodedata.normalize("NFC", "R1/Müller 试样 ω.csv")
    decomposed = unicodedata.normalize("NFD", composed)
    lab.write(composed, b"composed")
    lab.write(decomposed, b"decomposed")
    lab.init()

    lab.start()
    stored = lab.wait_stored(2)

    assert {path: lab.download(file["id"]) for (_, path), file in stored.items()} == {
        composed: b"composed",
        decomposed: b"decomposed",
    }


def test_a_temporary_file_counts_once_it_has_its_name(lab: Lab):
    lab.init()
    lab.start()
    place = lab.write("R1/scan.raw.tmp", b"written under another name")
    lab.write("R1/other.csv", b"x")
    lab.wait_stored(1)

    place.rename(lab.folder / "R1/scan.raw")
    lab.wait_stored(2)

    assert set(lab.files()) == {("R1", "R1/scan.raw"), ("R1", "R1/other.csv")}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such names")
def test_a_name_the_service_cannot_take_is_told_and_holds_up_nobody(lab: Lab):
    (lab.folder / "R1").mkdir()
    (lab.folder / "R1").joinpath(os.fsdecode(b"caf\xe9.csv")).write_bytes(b"latin-1")
    lab.write("R1/back\\slash.csv", b"x")
    lab.write("R1/good.csv", b"x")
    lab.init()

    lab.start()
    lab.wait_stored(1)
    told = wait_until(lambda: [event["message"] for event in lab.events("error")][1:] and lab.events("error"))

    assert {event["message"] for event in told} == {
        "R1/caf\\xe9.csv is not uploaded. Its name is not valid Unicode. Rename it.".replace("\\xe9", "\\udce9"),
        "R1/back\\slash.csv is not uploaded. Its name holds a backslash. Rename it.",
    }
    assert set(lab.files()) == {("R1", "R1/good.csv")}


@needs_links
def test_links_inside_are_files_and_links_out_are_refused(lab: Lab, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.csv").write_bytes(b"not the instrument's")
    real = lab.write("R1/real.csv", b"real")
    (lab.folder / "R1/inside.csv").symlink_to(real)
    (lab.folder / "R1/leads-out.csv").symlink_to(outside / "secret.csv")
    (lab.folder / "R2").symlink_to(outside)
    lab.init(file_patterns=["*.csv"])

    lab.start()
    stored = lab.wait_stored(2)
    told = wait_until(lambda: lab.events("error")[1:] and lab.events("error"))

    assert set(stored) == {("R1", "R1/real.csv"), ("R1", "R1/inside.csv")}
    assert {event["message"] for event in told} == {
        "R1/leads-out.csv is a link that leads out of the folder. It is refused.",
        "R2 is a link that leads out of the folder. It is refused.",
    }
