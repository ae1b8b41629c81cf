"""/instruments and the page of one."""

import re
from datetime import timedelta

import pytest

from notifications.models import Follow
from tests.factories import make_file, make_instrument, make_run, make_user, make_watcher
from tests.markup import flat
from wire.clock import now

pytestmark = pytest.mark.django_db


@pytest.fixture
def ines(client):
    person = make_user(display_name="Ines Okafor")
    client.force_login(person)
    return person


@pytest.fixture
def admin(client):
    person = make_user(is_admin=True)
    client.force_login(person)
    return person


def read(client, path):
    response = client.get(path)
    assert response.status_code == 200, response.content
    return response.content.decode()


def test_tabs_hold_what_is_active_pending_and_inactive(client, ines):
    for status in ("active", "pending", "inactive"):
        make_instrument(id=f"the-{status}", status=status)

    assert "the-active" in read(client, "/instruments")
    assert "the-pending" not in read(client, "/instruments")
    assert "the-pending" in read(client, "/instruments?status=pending")
    assert "the-inactive" in read(client, "/instruments?status=inactive")


def test_what_waits_shows_first_while_nothing_is_active(client, ines):
    make_instrument(id="the-pending", status="pending")

    assert "the-pending" in read(client, "/instruments")


def test_a_row_tells_health_folder_and_how_busy_it_is(client, ines):
    at = now()
    watcher = make_watcher(
        status="watching", last_heartbeat_at=at, watch_directory=r"D:\Gen5 exports", file_patterns=["*.txt", "*.xlsx"]
    )
    make_run(instrument=watcher.instrument, acquired_at=at)

    page = read(client, "/instruments")

    assert "Online" in page
    assert r"D:\Gen5 exports" in page
    assert "*.txt, *.xlsx" in page
    assert '<td class="num dim" data-label="Runs">1</td>' in page


def test_a_row_tells_of_a_watcher_that_is_there_and_sees_no_files(client, ines):
    at = now()
    make_watcher(status="watching", last_heartbeat_at=at, folder_state="denied", folder_away_since=at)

    assert "The folder cannot be read since" in read(client, "/instruments")


def test_the_head_tells_how_many_are_offline_and_leads_to_them(client, ines):
    at = now()
    for number in range(4):
        heard = at if number < 2 else at - timedelta(hours=1)
        make_watcher(status="watching", last_heartbeat_at=heard)
    make_watcher(
        instrument=make_instrument(status="pending"), status="watching", last_heartbeat_at=at - timedelta(hours=1)
    )

    page = flat(client.get("/instruments"))

    assert '<a href="/instruments?status=active&amp;health=offline">Two instruments are offline.</a>' in page


def test_nothing_is_said_of_offline_instruments_where_there_are_none(client, ines):
    make_watcher(status="watching", last_heartbeat_at=now())

    assert "health=offline" not in read(client, "/instruments")


@pytest.mark.parametrize("asked", ["?sort=name", "?sort=runs", ""])
def test_names_are_sorted_by_their_letters_also_where_nothing_else_tells_them_apart(client, ines, asked):
    names = ("zeta", "Azura", "ÄKTA pure", "Biacore")
    for number, name in enumerate(names):
        make_instrument(id=f"i-{number}", display_name=name)

    page = read(client, f"/instruments{asked}")

    assert sorted(names, key=page.index) == [
        "ÄKTA pure",
        "Azura",
        "Biacore",
        "zeta",
    ]


def test_the_list_is_searched_and_narrowed_by_health(client, ines):
    make_watcher(instrument=make_instrument(id="neo"), status="watching", last_heartbeat_at="2026-01-01T00:00Z")
    make_instrument(id="cary", display_name="Cary 60")

    assert "neo" not in rows_of(read(client, "/instruments?search=CARY"))
    assert "cary" not in rows_of(read(client, "/instruments?health=offline"))
    assert "No instrument is like that" in read(client, "/instruments?search=zzz")


def rows_of(page):
    """Without the forms behind them, whose tokens may hold any three letters."""
    return page.split("<tbody")[1].split("</tbody")[0]


def test_the_page_asks_few_questions_however_many_there_are(client, ines, django_assert_num_queries):
    for _ in range(12):
        make_run(instrument=make_watcher().instrument, acquired_at=now())
    read(client, "/instruments")

    with django_assert_num_queries(10):
        client.get("/instruments")


def test_an_instrument_shows_its_runs_with_the_facts_that_tell_them_apart(client, ines):
    cary = make_instrument()
    for number, wavelength in enumerate((280, 340, 340)):
        make_run(
            instrument=cary, run_id=f"scan-{number}", caller_metadata={"wavelength_nm": wavelength, "model": "Cary 60"}
        )
    make_run(run_id="elsewhere")

    page = read(client, f"/instruments/{cary.pk}")

    assert "scan-2" in page
    assert "elsewhere" not in page
    assert re.search(r'mono"[^>]*>\s*wavelength_nm\s*<', page)
    assert not re.search(r'mono"[^>]*>\s*model\s*<', page)


def test_its_runs_are_filtered_like_all_runs(client, ines):
    cary = make_instrument()
    make_file(run=make_run(instrument=cary, run_id="torn"), status="failed")
    make_run(instrument=cary, run_id="whole")

    response = client.get(f"/instruments/{cary.pk}?status=failed", headers={"HX-Request": "true"})

    assert "torn" in response.content.decode()
    assert "whole" not in response.content.decode()
    assert response["HX-Push-Url"] == f"/instruments/{cary.pk}?status=failed"


def test_an_unknown_instrument_is_not_found(client, ines):
    assert client.get("/instruments/nothing").status_code == 404


def test_following_is_one_click_and_undone(client, ines):
    cary = make_instrument()

    client.post("/instruments/selection", {"do": "follow", "instrument": cary.pk})

    assert Follow.objects.get().user == ines
    assert "You follow 1 instrument." in read(client, f"/instruments/{cary.pk}")

    client.post("/instruments/selection", {"do": "unfollow", "instrument": cary.pk})

    assert not Follow.objects.exists()


def test_an_admin_confirms_what_waits(client, admin):
    new = make_instrument(status="pending")
    assert 'value="activate"' in read(client, f"/instruments/{new.pk}")

    client.post("/instruments/selection", {"do": "activate", "instrument": new.pk})

    new.refresh_from_db()
    assert new.status == "active"


def test_deactivating_deregisters_the_watcher(client, admin):
    watcher = make_watcher()

    client.post("/instruments/selection", {"do": "deactivate", "instrument": watcher.instrument_id})

    watcher.refresh_from_db()
    assert watcher.deleted_at is not None
    assert "1 instrument: deactivated, its watcher deregistered." in read(client, "/instruments")


@pytest.mark.parametrize("action", ["activate", "deactivate"])
def test_only_admins_change_instruments(client, ines, action):
    cary = make_instrument()

    assert client.post("/instruments/selection", {"do": action, "instrument": cary.pk}).status_code == 403
    assert client.get(f"/instruments/{cary.pk}/edit").status_code == 403
    assert client.post(f"/instruments/{cary.pk}/change", {"display_name": "x"}).status_code == 403
    assert "Deactivate" not in read(client, f"/instruments/{cary.pk}")


def test_an_admin_renames_an_instrument(client, admin):
    cary = make_instrument()

    answer = client.post(
        f"/instruments/{cary.pk}/change",
        {"display_name": "Cary 60, bench 3", "instrument_type": "generic", "time_zone": "Europe/Berlin"},
    )

    cary.refresh_from_db()
    assert answer["Location"] == f"/instruments/{cary.pk}"
    assert (cary.display_name, cary.time_zone) == ("Cary 60, bench 3", "Europe/Berlin")


def test_a_bad_value_is_named_beside_its_field_and_the_rest_is_kept(client, admin):
    cary = make_instrument()

    answer = client.post(
        f"/instruments/{cary.pk}/change",
        {"display_name": "Kept", "instrument_type": "generic", "time_zone": "Europe/Nowhere"},
    )

    assert answer.status_code == 400
    assert "An IANA name is needed" in answer.content.decode()
    assert 'value="Kept"' in answer.content.decode()


def test_what_another_tab_saved_is_not_lost_unseen(client, admin):
    cary = make_instrument(display_name="Cary")
    form = {"instrument_type": "generic", "time_zone": "Europe/Berlin"}
    filled = version_in(client.get(f"/instruments/{cary.pk}/edit"))
    client.post(f"/instruments/{cary.pk}/change", form | {"display_name": "Of the other tab", "version": filled})

    mistyped = client.post(
        f"/instruments/{cary.pk}/change", form | {"display_name": "Mine", "time_zone": "x", "version": filled}
    )
    late = client.post(f"/instruments/{cary.pk}/change", form | {"display_name": "Mine", "version": filled})
    cary.refresh_from_db()

    assert (mistyped.status_code, version_in(mistyped)) == (400, filled)
    assert late.status_code == 412
    assert "It was changed since" in late.content.decode()
    assert 'value="Mine"' in late.content.decode()
    assert cary.display_name == "Of the other tab"

    client.post(f"/instruments/{cary.pk}/change", form | {"display_name": "Mine", "version": version_in(late)})
    cary.refresh_from_db()
    assert cary.display_name == "Mine"


def version_in(page):
    return re.search(r'name="version" value="([0-9a-f]+)"', page.content.decode())[1]


@pytest.mark.parametrize("status", ["active", "pending", "inactive"])
def test_empty_tabs_say_what_would_stand_there(client, ines, status):
    assert '<div class="empty">' in read(client, f"/instruments?status={status}")


@pytest.mark.parametrize(("given", "kept"), [("24", 24), ("", None)])
def test_an_admin_says_how_often_files_should_come(client, admin, given, kept):
    cary = make_instrument(expect_files_every_hours=8)
    form = {"display_name": "Cary 60", "instrument_type": "generic", "time_zone": "UTC"}

    client.post(f"/instruments/{cary.pk}/change", form | {"expect_files_every_hours": given})

    cary.refresh_from_db()
    assert cary.expect_files_every_hours == kept


@pytest.mark.parametrize("given", ["0", "9999", "1.5", "often", "-3"])
def test_hours_that_cannot_be_are_named_beside_their_field(client, admin, given):
    cary = make_instrument(expect_files_every_hours=8)
    form = {"display_name": "Cary 60", "instrument_type": "generic", "time_zone": "UTC"}

    answer = client.post(f"/instruments/{cary.pk}/change", form | {"expect_files_every_hours": given})

    cary.refresh_from_db()
    assert (answer.status_code, cary.expect_files_every_hours) == (400, 8)
    assert '<span class="error" id="expect_files_every_hours-about">' in answer.content.decode()
