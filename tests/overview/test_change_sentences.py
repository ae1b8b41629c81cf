"""What the history says: sentences, and never the name of a field."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from overview.change_sentences import describe_change
from overview.history import Actor, Change, ChangedObject

AT = datetime(2026, 3, 14, 9, 26, tzinfo=UTC)
SERVICE, PERSON = Actor("service", None, "task processing.process"), Actor("user", "1", "Priya Raman")


def tell(changes, *, by=PERSON, kind="run", action="changed", name="plate-7"):
    change = Change(1, AT, by, action, ChangedObject(kind, "1", name), changes, None, None)
    return describe_change(change, zone=ZoneInfo("UTC"))


def test_the_time_that_a_file_says_is_told_as_such():
    told = tell({"acquired_at": [None, "2024-10-26T22:00:00.000Z"]}, by=SERVICE)

    assert (told.text, told.sub) == ("Measured 2024-10-26 22:00, as its file says", "")


def test_the_time_that_a_person_says_is_theirs():
    told = tell({"acquired_at": ["2024-10-26T23:00:00.000Z", "2024-10-26T22:00:00.000Z"]})

    assert told.text == "Priya Raman said that it was measured 2024-10-26 22:00"


@pytest.mark.parametrize(
    ("changes", "sub"),
    [
        ({"display_name": ["Cary", "Cary 60"]}, "Name: Cary → Cary 60"),
        ({"expect_files_every_hours": [24, None], "time_zone": ["UTC", "Europe/Berlin"]},
         "Hours between files: 24 → nothing; Time zone: UTC → Europe/Berlin"),
        ({"file_patterns": [[], ["*.csv", "*.txt"]]}, "Patterns of files: nothing → *.csv, *.txt"),
        ({"watcher_id": [None, "0190-77"], "source": [None, "watcher"]}, "Source: watcher"),
        ({"metadata.sample_id": ["A", "B"], "size_bytes": [1, 12345]}, "sample_id: A → B; Size: 1 byte → 12,345 bytes"),
    ],
)  # fmt: skip
def test_differences_are_in_words_and_leave_out_numbers_of_other_rows(changes, sub):
    assert tell(changes).sub == sub


def test_checksums_stand_apart():
    told = tell(
        {"sha256": [None, "ab12"], "crc32": [None, "34cd"], "size_bytes": [None, 9]}, action="created", kind="file"
    )

    assert (told.sub, told.checksums) == ("Size: 9 bytes", "SHA-256: ab12; CRC-32: 34cd")


@pytest.mark.parametrize(
    ("status", "text"),
    [
        ("processing", "The service began to read a.csv"),
        ("completed", "The service read a.csv"),
        ("failed", "The service marked a.csv as failed"),
    ],
)
def test_the_states_of_a_file_are_sentences(status, text):
    told = tell({"status": ["uploaded", status]}, by=SERVICE, kind="file", name="a.csv")

    assert (told.text, told.sub) == (text, "")


def test_of_a_new_file_its_name_is_said_once_and_the_usual_not_at_all():
    changes = {
        "relative_path": [None, "a.csv"],
        "status": [None, "completed"],
        "category": [None, "raw"],
        "size_bytes": [None, 12345],
    }

    told = tell(changes, action="created", kind="file", name="a.csv")

    assert (told.text, told.sub) == ("Priya Raman added a.csv", "Size: 12,345 bytes")


def test_of_a_new_file_what_is_unusual_is_said():
    changes = {"status": [None, "detected"], "category": [None, "processed"]}

    assert tell(changes, action="created", kind="file", name="a.csv").sub == "Status: detected; Category: processed"


def test_what_a_comment_says_is_quoted_without_its_marks():
    told = tell({"body": [None, "Good enough. **Repeat** it"]}, action="created", kind="comment", name=None)

    assert (told.text, told.sub) == ("Priya Raman commented", "“Good enough. Repeat it”")


def test_a_configuration_is_no_line_of_its_history():
    told = tell({"config_yaml": [None, "# The watcher\nserver: x"], "config_checksum": [None, "ab"]}, kind="watcher",
                name="BENCH3")  # fmt: skip

    assert (told.text, told.sub) == ("Priya Raman changed the configuration of BENCH3", "")
