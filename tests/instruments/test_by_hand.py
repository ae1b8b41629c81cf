"""Instruments that admins add on the page for it."""

import pytest

from accounts.callers import caller_for_user
from changes.models import Change
from instruments.models import Instrument
from overview.change_sentences import describe_change
from overview.history import read_instrument_history
from tests.factories import make_group, make_instrument, make_run, make_user
from tests.markup import flat
from wire.lists.pagination import Window

pytestmark = pytest.mark.django_db
READER = {"display_name": "Plate reader", "instrument_type": "generic", "time_zone": "Europe/Berlin"}


@pytest.fixture
def admin(client):
    client.user = make_user(is_admin=True, display_name="Ines Okafor")
    client.force_login(client.user)
    return client


def test_an_instrument_added_by_hand_is_active_and_its_page_takes_files(admin):
    answer = admin.post("/instruments/new", READER)

    assert (answer.status_code, answer["Location"]) == (302, "/instruments/plate-reader")
    made = Instrument.objects.get()
    assert (made.display_name, made.status, made.visibility) == ("Plate reader", "active", "everyone")
    assert made.time_zone == "Europe/Berlin"
    page = flat(admin.get("/instruments/plate-reader"))
    assert "Drop files or a folder" in page
    assert "/runs/new?instrument=plate-reader" in page


def test_nobody_is_asked_to_confirm_it_and_the_trail_says_who_added_it(admin):
    admin.post("/instruments/new", READER)

    assert not Change.objects.filter(type="instrument.pending").exists()
    [made] = read_instrument_history("plate-reader", window=Window(per_page=5), by=caller_for_user(admin.user)).rows
    assert describe_change(made).text == "Ines Okafor added it by hand"


def test_names_that_are_alike_get_ids_of_their_own(admin):
    for _ in range(2):
        admin.post("/instruments/new", READER)
    for name in ("جهاز", "New"):
        admin.post("/instruments/new", READER | {"display_name": name})

    found = set(Instrument.objects.values_list("id", flat=True))
    assert found == {"plate-reader", "plate-reader-2", "instrument", "new-2"}


def test_one_that_is_put_into_groups_is_seen_by_them_and_admins_alone(admin, client):
    member, group = make_user(), make_group(name="Proteins")
    group.memberships.create(person=member)

    admin.post("/instruments/new", READER | {"group": [str(group.pk)]})

    assert Instrument.objects.get().visibility == "groups"
    client.force_login(make_user())
    assert client.get("/instruments/plate-reader").status_code == 404
    client.force_login(member)
    assert client.get("/instruments/plate-reader").status_code == 200


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"display_name": " "}, "required"),
        ({"display_name": "x" * 256}, "255"),
        ({"id": "Not a slug"}, "1 to 64 of a-z, 0-9 and hyphens are needed."),
        ({"id": "taken"}, "The instrument taken exists already."),
        ({"id": "new"}, "Another page has this address."),
        ({"instrument_type": "oracle"}, "There is no such instrument type."),
        ({"time_zone": "Mars/Olympus"}, "An IANA name is needed, such as Europe/Berlin."),
        ({"group": "0190c2a0-0000-7000-8000-000000000000"}, "One of these groups is no longer there."),
        ({"group": "nonsense"}, 'id="groups-about"'),
    ],
)
def test_what_is_refused_is_said_beside_its_field_and_nothing_is_made(admin, given, said):
    make_instrument(id="taken", display_name="Taken")
    make_group(name="Proteins")

    answer = admin.post("/instruments/new", READER | given)

    assert answer.status_code == 400
    assert said in answer.content.decode()
    assert Instrument.objects.count() == 1


def test_others_than_admins_are_refused_and_not_offered_it(client):
    client.force_login(make_user())

    assert client.get("/instruments/new").status_code == 403
    assert client.post("/instruments/new", READER).status_code == 403
    assert "/instruments/new" not in flat(client.get("/instruments"))
    assert not Instrument.objects.exists()


@pytest.mark.parametrize("path", ["/", "/instruments", "/watchers", "/watchers/connect", "/runs/new"])
def test_an_empty_service_offers_it_wherever_one_looks_first(admin, path):
    assert 'href="/instruments/new"' in flat(admin.get(path))


def test_an_empty_list_of_runs_leads_to_where_files_are_put_in(admin):
    assert '<a href="/runs/new">Put them in by hand</a>' in flat(admin.get("/runs"))


def test_a_home_without_runs_says_where_to_drop_once_there_is_an_instrument(admin):
    make_instrument(id="cary", display_name="Cary 60")

    page = flat(admin.get("/"))

    assert 'Drop them here, or <a href="/runs/new?instrument=cary">put them in by hand</a>' in page
    assert 'data-address="/runs/new?instrument=cary"' in page


def test_an_instrument_by_hand_ticks_no_step_of_connecting_one(admin):
    make_instrument(id="cary")

    page = admin.get("/").content.decode()

    assert '<li class="done">' not in page


def test_an_instrument_with_runs_is_not_filled_with_a_place_to_drop(admin):
    run = make_run()

    assert '<div class="drop"' not in admin.get(f"/instruments/{run.instrument_id}").content.decode()
