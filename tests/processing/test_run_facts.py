"""A run's facts are the union of its files', bounded, and in no order but their own."""

from itertools import permutations

from processing.run_facts import join_facts


def test_one_value_is_itself_and_several_are_a_sorted_list():
    assert join_facts([{"analyst": "Bo", "points": 3}, {"analyst": "Ann", "points": 3}]) == {
        "analyst": ["Ann", "Bo"],
        "points": 3,
    }


def test_lists_are_joined_by_their_members():
    assert join_facts([{"wavelength_nm": [485, 525]}, {"wavelength_nm": 485}, {"wavelength_nm": [260]}]) == {
        "wavelength_nm": [260, 485, 525]
    }


def test_times_are_a_range():
    facts = [
        {"measured_from": "2026-03-02T00:00:00Z", "measured_to": "2026-03-03T00:00:00Z"},
        {"measured_from": "2026-03-01T00:00:00Z", "measured_to": "2026-03-01T12:00:00Z"},
    ]

    assert join_facts(facts) == {"measured_from": "2026-03-01T00:00:00Z", "measured_to": "2026-03-03T00:00:00Z"}


def test_the_order_of_reading_never_matters_even_beyond_the_bounds():
    facts = [{"sample_id": [f"{part}-{number:03}" for number in range(150)], f"key_{part}": part} for part in "abc"]

    results = {str(join_facts([join_facts([first, second]), third])) for first, second, third in permutations(facts)}

    assert len(results) == 1
    assert len(join_facts(facts)["sample_id"]) == 200


def test_nothing_known_is_nothing():
    assert join_facts([{"analyst": None}, {}]) == {}


def test_the_longest_lists_give_way_when_all_is_too_much():
    facts = {f"key_{number:02}": [f"{value:03}" + "x" * 190 for value in range(200)] for number in range(3)} | {
        "technique": "qpcr"
    }

    assert join_facts([facts]) == {"key_02": facts["key_02"], "technique": "qpcr"}
