"""instrument-watcher state: list, check, forget."""

from agent.tests.lab import Lab, sha256, wait_until
from instrument_watcher.journal.files import Found
from instrument_watcher.journal.journal import Journal
from instrument_watcher.watching.scanning import sight


def test_the_journal_is_listed_by_prefix_and_state(lab: Lab):
    lab.write("R1/a.csv", b"a")
    lab.write("R2/b.csv", b"b")
    lab.write("loose.csv", b"c")
    lab.init()
    lab.start()
    lab.wait_stored(2)
    wait_until(lambda: "loose.csv" in lab.states())

    everything, one = lab.json("state", "list"), lab.json("state", "list", "R1/")
    refused = lab.json("state", "list", "--state", "refused")

    assert [row["path"] for row in everything["files"]] == ["R1/a.csv", "R2/b.csv", "loose.csv"]
    assert [(row["path"], row["state"], row["sha256"]) for row in one["files"]] == [
        ("R1/a.csv", "uploaded", sha256(b"a"))
    ]
    assert [row["path"] for row in refused["files"]] == ["loose.csv"]


def test_a_journal_that_agrees_with_the_service_is_said_to(lab: Lab):
    lab.write("R1/a.csv", b"a")
    lab.init()
    lab.start()
    lab.wait_stored(1)

    assert lab.json("state", "check") == {"agreeing": 1, "differing": []}


def test_what_the_service_does_not_have_is_named_and_sent_once_it_is_forgotten(lab: Lab):
    lab.write("R1/a.csv", b"a")
    lab.write("R1/b.csv", b"b")
    lab.init()
    lab.start()
    lab.wait_stored(2)
    lab.stop()
    kept = lab.kept()
    pretend_stored(lab, "R1/c.csv", b"never sent")
    lab.start()
    wait_until(lambda: lab.snapshot().get("scanned_at"))

    told = lab.json("state", "check", code=9)
    forgotten = lab.json("state", "forget", "R1/c")
    stored = lab.wait_stored(3)

    assert [(one["path"], one["difference"]) for one in told["differing"]] == [
        ("R1/c.csv", "The service does not have it.")
    ]
    assert told["agreeing"] == 2
    assert forgotten == {"forgotten": 1}
    assert stored["R1", "R1/c.csv"]["sha256"] == sha256(b"never sent")
    assert lab.kept().items() >= kept.items()


def pretend_stored(lab: Lab, path: str, data: bytes) -> None:
    """A file and a line of the journal that says it is uploaded, of which the service knows nothing."""
    sighting = sight(lab.folder, lab.write(path, data).relative_to(lab.folder).as_posix())
    assert sighting is not None
    journal = Journal(lab.home / "journal.sqlite3")
    journal.files.add_found([Found(path, sighting, run_id="R1")])
    row = journal.files.find(path)
    assert row is not None
    journal.mark_uploaded(row, file_id=999_999_999, sha256=sha256(data))
    journal.close()
