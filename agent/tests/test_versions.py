"""A file that changes after its upload: its new bytes are kept beside the old ones, or wait until they can be."""

import os

from agent.tests.gate import Gate
from agent.tests.lab import Lab, sha256, wait_until

CHANGED = {"R1/same size.csv", "R1/longer.csv"}


def change(lab: Lab, *, server: str) -> None:
    """A file of the same size, a longer one, and one that has only another time."""
    for name in ("same size", "longer", "touched"):
        lab.write(f"R1/{name}.csv", b"first")
    lab.init(server=server)
    lab.start()
    lab.wait_stored(3)
    lab.write("R1/same size.csv", b"other")
    lab.write("R1/longer.csv", b"another")
    os.utime(lab.folder / "R1/touched.csv", (1, 1))


def paths_told(lab: Lab) -> set[str]:
    return {event["details"]["relative_path"] for event in lab.events("error")}


def attempts_of(lab: Lab, path: str) -> int:
    return int(lab.journal()[path]["attempts"])


def test_a_new_version_waits_and_is_told_where_the_service_takes_none(lab: Lab):
    with Gate(lab.url, hidden=("new_version",)) as gate:
        change(lab, server=gate.url)

        wait_until(lambda: paths_told(lab) == CHANGED, what="both are told")
        wait_until(lambda: lab.states()["R1/touched.csv"] == "uploaded")
        wait_until(lambda: all(attempts_of(lab, path) >= 2 for path in CHANGED), what="both are tried again")
        status = lab.json("status")

    assert paths_told(lab) == CHANGED
    assert {file["sha256"] for file in lab.stored().values()} == {sha256(b"first")}
    assert {row["path"] for row in status["trouble"]} == CHANGED
    assert all("does not take a second version yet" in row["reason"] for row in status["trouble"])
    assert status["waiting_uploads"] == 2


def test_a_new_version_is_kept_beside_the_first(lab: Lab):
    change(lab, server=lab.url)

    wait_until(lambda: len(lab.stored()) == 5, what="both new versions are stored")
    wait_until(lambda: set(lab.states().values()) == {"uploaded"})
    stored = lab.stored()

    assert {path: file["sha256"] for (_, path), file in stored.items()} == {
        "R1/same size.csv": sha256(b"first"),
        "R1/same size~2.csv": sha256(b"other"),
        "R1/longer.csv": sha256(b"first"),
        "R1/longer~2.csv": sha256(b"another"),
        "R1/touched.csv": sha256(b"first"),
    }


def test_versions_that_were_left_here_are_sent_once_they_are_wanted(lab: Lab):
    lab.write("R1/a.csv", b"first")
    lab.init(on_change="ignore")
    lab.start()
    lab.wait_stored(1)
    lab.write("R1/a.csv", b"second, and longer")
    wait_until(lambda: lab.states() == {"R1/a.csv": "changed"})

    lab.set(on_change="version")

    wait_until(lambda: ("R1", "R1/a~2.csv") in lab.stored(), what="the second version is stored")
    stored = lab.stored()
    assert stored["R1", "R1/a.csv"]["sha256"] == sha256(b"first")
    assert stored["R1", "R1/a~2.csv"]["sha256"] == sha256(b"second, and longer")
