"""The wall: who needs a look, who is at work, and the day."""

from datetime import timedelta

import pytest

from accounts.callers import caller_for_user
from overview.wall import MAX_TILES, read_wall
from tests.factories import make_file, make_group, make_instrument, make_run, make_user, make_watcher
from tests.markup import flat
from wire.clock import now

pytestmark = pytest.mark.django_db


@pytest.fixture
def wall(client):
    person = make_user()
    client.force_login(person)
    return lambda: read_wall(by=caller_for_user(person), at=now())


def states(wall):
    return [(tile.instrument.display_name, tile.state) for tile in wall.tiles]


def make_heard(name, *, ago, **fields):
    return make_watcher(
        instrument=make_instrument(display_name=name),
        status="watching",
        last_heartbeat_at=now() - timedelta(minutes=ago),
        **fields,
    ).instrument


def test_trouble_stands_first_then_what_is_at_work(wall):
    make_instrument(display_name="Alone")
    make_heard("Online", ago=1)
    make_heard("Silent", ago=30, folder_files_waiting=4)
    broken, busy = make_heard("Broken", ago=1), make_heard("Busy", ago=1)
    make_file(run=make_run(instrument=broken), status="failed", error_message="It ends early.")
    make_file(run=make_run(instrument=busy), status="processing")

    found = wall()

    assert states(found) == [
        ("Silent", "offline"),
        ("Broken", "failed"),
        ("Busy", "processing"),
        ("Online", "online"),
        ("Alone", "none"),
    ]
    assert (found.in_trouble, found.busy, found.idle) == (2, 1, 2)


def test_who_is_there_and_sees_no_files_is_in_trouble(wall, client):
    make_heard("Away", ago=1, folder_state="away", folder_away_since=now() - timedelta(hours=1))
    make_heard("Busy", ago=1)

    found = wall()

    assert states(found) == [("Away", "blind"), ("Busy", "online")]
    assert found.in_trouble == 1
    assert "Sees no files" in flat(client.get("/wall"))


def test_the_latest_run_of_today_decides(wall):
    reader = make_heard("Reader", ago=1)
    make_file(run=make_run(instrument=reader, acquired_at=now() - timedelta(seconds=2)), status="failed")
    make_run(instrument=reader, acquired_at=now() - timedelta(seconds=1))

    assert states(wall()) == [("Reader", "online")]


def test_the_day_is_counted_by_hours_without_yesterday_and_what_was_deleted(wall):
    reader = make_instrument()
    for _ in range(3):
        make_run(instrument=reader)
    make_run(instrument=reader, acquired_at=now() - timedelta(days=1, seconds=1))
    make_run(instrument=reader, deleted_at=now(), deleted_by=make_user())

    found = wall()

    assert (found.runs_today, found.used_today, len(found.hours)) == (3, 1, 24)


def test_it_names_nobody_and_nothing_that_is_hidden(client):
    ines = make_user(display_name="Ines Okafor")
    secret = make_instrument(display_name="Secret reader", visibility="groups")
    make_group(instruments=[secret])
    make_run(run_id="secret-run", instrument=secret)
    make_run(run_id="open-run")
    client.force_login(ines)

    page = flat(client.get("/wall"))

    assert "open-run" in page
    assert [word for word in ("Secret reader", "secret-run", "Ines Okafor") if word in page] == []


def test_a_large_fleet_fits_on_the_screen(client):
    for number in range(MAX_TILES + 2):
        make_instrument(display_name=f"Reader {number:03}")
    client.force_login(make_user())

    page = flat(client.get("/wall"))

    assert page.count('class="wall-tile"') == MAX_TILES
    assert "and 2 more" in page


def test_an_empty_service_has_a_wall(client):
    client.force_login(make_user())

    assert "No instrument is active yet." in flat(client.get("/wall"))
