"""Where the files of a run lie once they are saved: no two of them in one place."""

from pathlib import Path

import pytest

from instrument_data import places
from instrument_data.places import choose_places
from instrument_data.records import FileRecord


def file(number, relative_path, category="raw"):
    return FileRecord({"id": number, "relative_path": relative_path, "category": category})


def chosen(*files):
    return {number: place.as_posix() for number, place in choose_places(files).items()}


def test_names_that_become_one_get_places_of_their_own():
    files = [file(1, "R1/a:b.csv"), file(2, "R1/a_b.csv"), file(3, "R1/a?b.csv")]

    assert chosen(*files) == {1: "R1/a_b~1.csv", 2: "R1/a_b.csv", 3: "R1/a_b~3.csv"}


def test_long_names_that_differ_at_their_beginnings_alone_get_places_of_their_own():
    rest = "x" * 160 + ".csv"

    assert len(set(chosen(file(1, f"A{rest}"), file(2, f"B{rest}")).values())) == 2


def test_a_file_that_was_replaced_by_a_folder_lies_beside_it():
    assert chosen(file(1, "R1/scan"), file(2, "R1/scan/a.csv")) == {1: "R1/scan~1", 2: "R1/scan/a.csv"}


def test_what_reading_made_takes_no_place_of_a_raw_file():
    files = [file(1, "c.json", "processed"), file(2, "processed/c.json")]

    assert chosen(*files) == {1: "processed/c~1.json", 2: "processed/c.json"}


@pytest.mark.parametrize(("is_case_known", "count"), [(True, 2), (False, 2)])
def test_where_case_tells_no_names_apart_both_are_kept(monkeypatch, is_case_known, count):
    monkeypatch.setattr(places, "IS_CASE_KNOWN", is_case_known)

    found = choose_places([file(1, "A.csv"), file(2, "a.csv")])

    assert len({str(place).casefold() if not is_case_known else place for place in found.values()}) == count
    assert found[1] == Path("A.csv")
