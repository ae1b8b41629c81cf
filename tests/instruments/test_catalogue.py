import pytest

from accounts.callers import caller_for_token
from instruments.catalogue import InstrumentChange, change_instrument
from instruments.instrument_types import list_types, register_type
from instruments.models import Instrument, InstrumentStatus
from instruments.signals import instrument_deactivated
from tests.factories import make_instrument, make_run, make_token, make_watcher
from wire.clock import now

ROUTE = "/api/v1/instruments"


def test_a_new_instrument_is_pending_and_generic(as_token):
    answer = as_token("instruments:create").post(ROUTE, {"id": "plate-reader-2", "display_name": "Plate reader"})

    assert answer.status_code == 201
    stored = Instrument.objects.get(id="plate-reader-2")
    assert answer.json() == {
        "id": "plate-reader-2",
        "display_name": "Plate reader",
        "status": "pending",
        "instrument_type": "generic",
        "visibility": "everyone",
        "time_zone": "UTC",
        "expect_files_every_hours": None,
        "file_patterns": [],
        "created_at": stored.created_at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "updated_at": stored.updated_at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "run_count": 0,
        "watcher_count": 0,
    }


def test_without_a_name_the_id_is_shown(as_token):
    assert as_token().post(ROUTE, {"id": "balance"}).json()["display_name"] == "balance"


@pytest.mark.parametrize("taken", ["new", "selection"])
def test_an_id_that_is_a_page_is_refused(as_token, taken):
    answer = as_token().post(ROUTE, {"id": taken})

    assert answer.status_code == 400
    assert answer.json()["error"]["details"]["fields"] == {"id": ["Another page has this address."]}


def test_an_id_is_given_once(as_token):
    make_instrument(id="balance")

    answer = as_token().post(ROUTE, {"id": "balance"})

    assert answer.status_code == 409
    assert answer.json()["error"]["details"] == {"instrument_id": "balance"}


@pytest.mark.parametrize("bad", ["", "Upper", "a b", "a_b", "a/b", "é", "a" * 65, "a.b", None, 5, ["a"], "a\n"])
def test_an_id_is_a_slug(as_token, bad):
    answer = as_token().post(ROUTE, {"id": bad})

    assert answer.status_code == 400
    assert list(answer.json()["error"]["details"]["fields"]) == ["id"]


@pytest.mark.parametrize(
    ("field", "bad"),
    [
        ("time_zone", "Mars/Olympus"),
        ("time_zone", ""),
        ("time_zone", 5),
        ("time_zone", "../etc/passwd"),
        ("instrument_type", "no-such-type"),
        ("display_name", {"a": 1}),
        ("display_name", ""),
        ("display_name", "a\nb"),
    ],
)
def test_a_bad_field_is_named(as_token, field, bad):
    answer = as_token().post(ROUTE, {"id": "balance", field: bad})

    assert answer.status_code == 400
    assert list(answer.json()["error"]["details"]["fields"]) == [field]
    assert not Instrument.objects.exists()


def test_time_zone_is_kept(as_token):
    answer = as_token().post(ROUTE, {"id": "balance", "time_zone": "Europe/Berlin"})

    assert answer.json()["time_zone"] == "Europe/Berlin"


def test_a_registered_type_may_be_chosen(as_token, monkeypatch):
    monkeypatch.setattr("instruments.instrument_types._titles", {"generic": "Generic"})
    register_type("jcamp-dx", title="JCAMP-DX")

    answer = as_token().post(ROUTE, {"id": "balance", "instrument_type": "jcamp-dx"})

    assert answer.json()["instrument_type"] == "jcamp-dx"
    assert list_types() == {"generic": "Generic", "jcamp-dx": "JCAMP-DX"}


def test_a_bound_token_creates_no_instruments(as_token):
    make_instrument(id="balance")

    answer = as_token(instrument_ids=["balance"]).post(ROUTE, {"id": "another"})

    assert answer.status_code == 403


def test_what_lies_outside_a_bound_token_is_not_there(as_token):
    make_instrument(id="balance")
    make_instrument(id="other")
    bound = as_token(instrument_ids=["balance"])

    assert [row["id"] for row in bound.get(ROUTE).json()["data"]] == ["balance"]
    assert bound.get(f"{ROUTE}/other").status_code == 404
    assert bound.patch(f"{ROUTE}/other", {"status": "active"}).status_code == 404


def test_the_list_goes_by_name_and_filters_by_status(as_token):
    make_instrument(id="b", display_name="Beta", status="inactive")
    make_instrument(id="a", display_name="Alpha")
    api = as_token("instruments:read")

    answer = api.get(ROUTE).json()

    assert [row["id"] for row in answer["data"]] == ["a", "b"]
    assert answer["pagination"] == {"page": 1, "per_page": 100, "total": 2, "total_pages": 1}
    assert [row["id"] for row in api.get(f"{ROUTE}?status=inactive").json()["data"]] == ["b"]
    assert api.get(f"{ROUTE}?status=broken").status_code == 400


def test_the_list_keeps_its_query_count_as_instruments_grow(as_token, django_assert_num_queries):
    for _ in range(5):
        make_watcher()
    api = as_token(last_used_at=now())

    with django_assert_num_queries(3):
        api.get(ROUTE)


def test_detail_counts_active_runs_and_watchers(as_token):
    instrument = make_instrument(id="balance")
    make_run(instrument=instrument)
    make_run(instrument=instrument, deleted_at=now(), deleted_by_token=make_token())
    make_watcher(instrument=instrument)
    make_watcher(instrument=instrument, deleted_at=now())

    answer = as_token().get(f"{ROUTE}/balance").json()

    assert (answer["run_count"], answer["watcher_count"]) == (1, 1)


def test_file_patterns_are_those_of_the_active_watcher(as_token):
    instrument = make_instrument(id="balance")
    make_watcher(instrument=instrument, file_patterns=["*.old"], deleted_at=now())
    make_watcher(instrument=instrument, file_patterns=["*.raw", "sub/*.csv"])

    assert as_token().get(f"{ROUTE}/balance").json()["file_patterns"] == ["*.raw", "sub/*.csv"]


@pytest.mark.parametrize("status", ["pending", "active", "inactive"])
def test_any_status_may_be_set(as_admin, status):
    make_instrument(id="balance")

    assert as_admin().patch(f"{ROUTE}/balance", {"status": status}).json()["status"] == status


def test_only_admins_among_people_change_instruments(as_person):
    make_instrument(id="balance", status="active")

    assert as_person().patch(f"{ROUTE}/balance", {"status": "inactive"}).status_code == 403


def test_what_the_server_owns_is_ignored(as_token):
    make_instrument(id="balance")

    answer = as_token().patch(f"{ROUTE}/balance", {"id": "other", "run_count": 9})

    assert answer.status_code == 200
    assert (answer.json()["id"], answer.json()["run_count"]) == ("balance", 0)


@pytest.mark.parametrize("body", [{}, {"colour": "red"}, {"status": "gone"}, {"status": None}, {"time_zone": "Mars"}])
def test_a_change_that_says_nothing_known_is_refused(as_token, body):
    make_instrument(id="balance")

    assert as_token().patch(f"{ROUTE}/balance", body).status_code == 400


@pytest.mark.django_db
def test_two_changes_of_different_fields_both_survive():
    make_instrument(id="balance", display_name="Old", status="pending")
    by = caller_for_token(make_token())

    change_instrument("balance", change=InstrumentChange(display_name="New"), by=by, at=now())
    change_instrument("balance", change=InstrumentChange(status=InstrumentStatus.ACTIVE), by=by, at=now())

    stored = Instrument.objects.get(id="balance")
    assert (stored.display_name, stored.status) == ("New", "active")


@pytest.mark.django_db
def test_retiring_an_instrument_is_announced_once():
    make_instrument(id="balance")
    heard = []

    def hear(sender, instrument, by, at, **kwargs):
        heard.append(instrument.pk)

    instrument_deactivated.connect(hear)
    by = caller_for_token(make_token())

    change_instrument("balance", change=InstrumentChange(status=InstrumentStatus.INACTIVE), by=by, at=now())
    change_instrument("balance", change=InstrumentChange(status=InstrumentStatus.INACTIVE), by=by, at=now())

    assert heard == ["balance"]


def test_how_often_files_should_come_is_set_kept_and_taken_back(as_admin):
    api, instrument = as_admin(), make_instrument()
    path = f"{ROUTE}/{instrument.pk}"

    shown = [
        api.patch(path, body).json()["expect_files_every_hours"]
        for body in ({"expect_files_every_hours": 24}, {"display_name": "b"}, {"expect_files_every_hours": None})
    ]

    assert shown == [24, 24, None]


@pytest.mark.parametrize("hours", [0, -1, 8785, 1.5, "24", True])
def test_files_cannot_be_expected_every_so_often(as_admin, hours):
    answer = as_admin().patch(f"{ROUTE}/{make_instrument().pk}", {"expect_files_every_hours": hours})

    assert answer.status_code == 400
    assert list(answer.json()["error"]["details"]["fields"]) == ["expect_files_every_hours"]
