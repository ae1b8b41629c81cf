"""What happens, each event once, from answers as section 8 of the interface describes them."""

import asyncio
import json
from itertools import islice

import pytest

import instrument_data as ids
from client.tests.desk import Answer, Desk, refusal
from instrument_data.errors import Gone
from instrument_data.server_events import EventReader


def change(position, kind="run.created"):
    return {
        "position": position,
        "type": kind,
        "at": "2026-11-23T08:00:00.000Z",
        "instrument_id": "reader",
        "run_id": f"R{position}",
    }


def page(*positions, following):
    return Answer({"data": [change(position) for position in positions], "next": following})


def events(*positions):
    text = ": still here\n\n" + "".join(f"id: {one}\ndata: {json.dumps(change(one))}\n\n" for one in positions)
    return Answer(text.encode(), headers={"Content-Type": "text/event-stream"})


@pytest.fixture
def lab(desk: Desk, monkeypatch):
    monkeypatch.setattr("instrument_data._sync.changes.sleep", lambda seconds: None)
    with ids.connect(desk.url, "ids_x", patience=1) as laboratory:
        yield laboratory


def test_changes_go_on_until_now(lab, desk):
    desk.tell("GET", "/changes", page(1, 2, following=2), page(3, following=3), page(following=3))

    assert [one.position for one in lab.changes(after=0)] == [1, 2, 3]
    assert [question.asked("after") for question in desk.asked("/changes")] == [["0"], ["2"], ["3"]]


def test_types_are_repeated(lab, desk):
    desk.tell("GET", "/changes", page(following=0))

    list(lab.changes(types=["run.created", "run.failed"]))

    assert desk.asked("/changes")[0].asked("types") == ["run.created", "run.failed"]


def test_a_position_that_is_no_longer_kept_says_which_is(lab, desk):
    desk.tell("GET", "/changes", refusal("GONE", "Kept for 30 days.", status=410, details={"oldest": 17}))

    with pytest.raises(Gone, match="30 days") as caught:
        list(lab.changes(after=1))

    assert caught.value.details["oldest"] == 17


def test_watching_begins_now_and_goes_on_after_each_break(lab, desk):
    desk.tell("GET", "/changes", page(following=5), events(6, 7), events(8))

    assert [one.run_id for one in islice(lab.watch(), 3)] == ["R6", "R7", "R8"]
    first, second, third = desk.asked("/changes")[:3]
    assert first.asked("after") == ["now"]
    assert second.headers["Last-Event-ID"] == "5"
    assert third.headers["Last-Event-ID"] == "7"


def test_a_stream_that_ends_by_itself_is_not_opened_again_at_once(lab, desk, monkeypatch):
    waited: list[float] = []
    monkeypatch.setattr("instrument_data._sync.changes.sleep", waited.append)
    desk.tell("GET", "/changes", page(following=5), events(6), events(), events(7))

    assert [one.position for one in islice(lab.watch(), 2)] == [6, 7]
    assert waited == [1.0, 1.0]


def test_a_service_that_stays_away_ends_the_watch(lab, desk, monkeypatch):
    monkeypatch.setattr("instrument_data._sync.connection.sleep", lambda seconds: None)
    desk.tell("GET", "/changes", page(following=5), events(6), Answer(b"data:", cut_after=2))

    watched = lab.watch()

    assert next(watched).position == 6
    with pytest.raises(ids.errors.ServiceAway):
        next(watched)


def test_an_event_that_was_cut_is_asked_for_again(lab, desk):
    whole = events(6, 7).to_bytes()
    desk.tell("GET", "/changes", page(following=5), Answer(whole, cut_after=len(whole) - 20), events(7))

    assert [one.position for one in islice(lab.watch(), 2)] == [6, 7]


def test_watching_from_a_position(lab, desk):
    desk.tell("GET", "/changes", events(3))

    assert next(iter(lab.watch(after=2))).position == 3
    assert desk.asked("/changes")[0].headers["Last-Event-ID"] == "2"


def signs(*positions):
    text = "".join(f": still here\nid: {one}\n\n" for one in positions)
    return Answer(text.encode(), headers={"Content-Type": "text/event-stream"})


def test_who_hears_seldom_goes_on_where_the_log_was_told_to(lab, desk):
    """Else the place of its last event is forgotten one day, and it is refused."""
    desk.tell("GET", "/changes", page(following=5), signs(6, 900), events(901))
    passed: list[str] = []

    assert [one.position for one in islice(lab.watch(on_position=passed.append), 1)] == [901]
    assert desk.asked("/changes")[2].headers["Last-Event-ID"] == "900"
    assert passed == ["6", "900"]


def test_who_asks_in_vain_goes_on_behind_what_it_was_told(lab, desk):
    desk.tell("GET", "/changes", page(following=5), page(following=900), page(901, following=901))
    passed: list[str] = []

    watched = lab.watch(types="run.failed", poll=0.01, on_position=passed.append)

    assert [one.position for one in islice(watched, 1)] == [901]
    assert [question.asked("after") for question in desk.asked("/changes")] == [["now"], ["5"], ["900"]]
    assert passed == ["900"]


def test_what_was_read_in_vain_up_to_now_is_told(lab, desk):
    desk.tell("GET", "/changes", page(3, following=7), page(following=7))
    passed: list[str] = []

    assert [one.position for one in lab.changes(after=2, on_position=passed.append)] == [3]
    assert passed == ["7"]


def test_watching_by_asking(lab, desk):
    desk.tell("GET", "/changes", page(following=5), page(6, following=6), page(following=6), page(7, following=7))

    assert [one.position for one in islice(lab.watch(poll=0.01), 2)] == [6, 7]


def test_the_same_by_the_asynchronous_face(desk):
    desk.tell("GET", "/changes", page(following=5), events(6, 7))

    async def listen():
        async with ids.connect_async(desk.url, "ids_x") as lab:
            watched = lab.watch()
            return [(await watched.__anext__()).position, (await watched.__anext__()).position]

    assert asyncio.run(listen()) == [6, 7]


def test_comments_and_several_lines_of_data():
    reader = EventReader()
    lines = [": hello", "id: 4", "event: change", 'data: {"a":', "data: 1}", ""]

    assert [told for line in lines if (told := reader.take(line))] == [{"a": 1}]
    assert reader.last_id == "4"
