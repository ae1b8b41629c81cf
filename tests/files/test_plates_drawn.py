"""Plates: large numbers, roles, replicates, and every well over its steps."""

import pytest

from files.drawing.plate import build_plate_view
from files.drawing.plate_groups import find_role, group_replicates


def plate(wells, **more):
    return {
        "format": "ids-plate/1",
        "rows": 8,
        "columns": 12,
        "quantity": "Signal",
        "unit": "RFU",
        "wells": wells,
        **more,
    }


def well(view, name):
    letter, column = name[0], int(name[1:])
    return dict(view.rows)[letter][column - 1]


def test_six_digits_stand_in_a_well_in_small_letters():
    view = build_plate_view(plate({"A1": {"value": 123456.0}, "A2": {"value": 7.0}}))

    assert (well(view, "A1").text, view.is_dense) == ("123456", True)


def test_more_digits_are_a_power_of_ten_and_kept_for_a_copy():
    view = build_plate_view(plate({"A1": {"value": 12345678.0}}))

    assert (well(view, "A1").text, well(view, "A1").value) == ("1.23e7", "12345678")


def test_three_digits_leave_the_letters_as_they_are():
    assert not build_plate_view(plate({"A1": {"value": 0.123}})).is_dense


@pytest.mark.parametrize(
    ("sample", "role"),
    [
        ("STD1", "standard"),
        ("Standard 2", "standard"),
        ("Blank", "blank"),
        ("NTC", "control"),
        ("neg ctrl", "control"),
        ("Stdout", ""),
        ("S1", ""),
        ("", ""),
    ],
)
def test_a_role_is_told_by_the_name_of_the_sample(sample, role):
    assert find_role({"value": 1, "sample": sample}) == role


def test_what_the_file_states_of_a_role_counts_first():
    assert find_role({"value": 1, "sample": "S1", "role": "standard sample role"}) == "standard"


def test_replicates_are_samples_of_several_wells():
    wells = {"A1": {"sample": "S1"}, "A2": {"sample": "S1"}, "A3": {"sample": "S2"}, "A4": {}, "A5": {}}

    assert group_replicates(wells) == {"S1": 1}


def test_replicates_share_their_colour_where_it_is_asked_for():
    wells = {name: {"value": 1.0, "sample": sample} for name, sample in (("A1", "S1"), ("A2", "S1"), ("A3", "S2"))}

    view = build_plate_view(plate(wells), by_sample=True)

    assert [well(view, name).look for name in ("A1", "A2", "A3")] == ["g1", "g1", "g0"]
    assert well(view, "A1").text == "S1"


def test_a_plate_without_replicates_keeps_its_numbers():
    view = build_plate_view(plate({"A1": {"value": 1.0, "sample": "S1"}}), by_sample=True)

    assert (well(view, "A1").text, view.are_grouped) == ("1.00", False)


def test_wells_over_time_share_their_scales():
    wells = {"A1": {"value": 0, "values": [0, 1, None, 2]}, "A2": {"value": 0, "values": [0, 0, 0, 1]}}

    view = build_plate_view(plate(wells, steps={"label": "Time", "unit": "s", "values": [0, 10, 20, 40]}))

    assert well(view, "A1").path == "M0 100L25 50M100 0"
    assert well(view, "A2").path == "M0 100L25 100L50 100L100 50"


@pytest.mark.parametrize("steps", [[0, 10, 20], ["CYP", "ACT", "GAP", "TUB"]], ids=["few", "words"])
def test_few_steps_and_words_are_no_course(steps):
    wells = {"A1": {"value": 0, "values": [1] * len(steps)}}

    assert not build_plate_view(plate(wells, steps={"label": "Target", "unit": None, "values": steps})).has_paths
