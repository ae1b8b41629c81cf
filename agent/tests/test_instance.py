"""Two computers, one disk: each installation has an id of its own, and the one that is refused keeps still."""

from pathlib import Path
from typing import Any

from agent.tests.gate import Answer, Gate, conflict
from agent.tests.lab import Lab, wait_until
from instrument_watcher.instance import instance_id

CARD, OTHER = "3c:7c:3f:00:00:01", "3c:7c:3f:00:00:02"


def test_an_installation_keeps_its_id(tmp_path: Path):
    place = tmp_path / "instance.json"

    assert instance_id(place, cards=frozenset({CARD})) == instance_id(place, cards=frozenset({CARD}))


def test_a_copy_on_another_computer_gets_an_id_of_its_own(tmp_path: Path):
    place = tmp_path / "instance.json"
    first = instance_id(place, cards=frozenset({CARD}))

    copy = instance_id(place, cards=frozenset({OTHER}))

    assert copy != first
    assert instance_id(place, cards=frozenset({OTHER})) == copy


def test_a_computer_that_gets_a_second_card_and_loses_the_first_stays_the_same(tmp_path: Path):
    place = tmp_path / "instance.json"
    first = instance_id(place, cards=frozenset({CARD}))

    assert instance_id(place, cards=frozenset({CARD, OTHER})) == first
    assert instance_id(place, cards=frozenset({OTHER})) == first


def test_a_computer_whose_cards_cannot_be_told_keeps_its_id(tmp_path: Path):
    place = tmp_path / "instance.json"
    first = instance_id(place, cards=frozenset({CARD}))

    assert instance_id(place, cards=frozenset()) == first


def test_no_address_of_a_card_is_written_down(tmp_path: Path):
    place = tmp_path / "instance.json"
    instance_id(place, cards=frozenset({CARD}))

    assert CARD not in place.read_text()


def test_what_is_no_instance_file_is_written_anew(tmp_path: Path):
    place = tmp_path / "instance.json"
    place.write_text("[]")

    assert instance_id(place, cards=frozenset({CARD})) == instance_id(place, cards=frozenset({CARD}))


def test_an_installation_that_is_refused_sends_nothing_and_goes_on_when_an_admin_chose_it(lab: Lab):
    is_refused = [True]

    def refuse_beats(method: str, path: str, body: Any) -> Answer | None:
        if path.endswith("/heartbeat") and is_refused[0]:
            return conflict("Another installation.", existing_instance="11111111-0000", hostname="bench-2")
        return None

    lab.init()
    with Gate(lab.url, refuse_beats) as gate:
        lab.set(server=gate.url)
        agent = lab.start()
        shown = wait_until(lambda: lab.snapshot().get("held_because"))
        lab.write("R1/a.csv", b"a")
        wait_until(lambda: lab.states() == {"R1/a.csv": "found"})
        status = lab.json("status")
        beats = len(gate.bodies("/heartbeat"))
        wait_until(lambda: len(gate.bodies("/heartbeat")) > beats, what="it asks again")
        assert lab.stored() == {}
        assert agent.poll() is None
        assert "11111111-0000 on bench-2" in shown
        assert status["held_because"] == shown

        is_refused[0] = False

        assert ("R1", "R1/a.csv") in lab.wait_stored(1)
        assert len({beat["instance_id"] for beat in gate.bodies("/heartbeat")}) == 1
