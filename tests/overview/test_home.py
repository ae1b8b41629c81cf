"""The first page."""

import re
from datetime import timedelta

import pytest

from instruments.models import Instrument
from overview.backups import record_backup
from overview.space import measure_space
from tests.factories import (
    make_comment,
    make_file,
    make_installer,
    make_instrument,
    make_run,
    make_token,
    make_user,
    make_watcher,
)
from tests.markup import flat
from wire.clock import now

pytestmark = pytest.mark.django_db


@pytest.fixture
def home(client):
    """The page as a signed-in person gets it."""
    client.force_login(make_user(display_name="Ines Okafor"))
    return lambda: flat(client.get("/"))


def make_failed_file(**fields):
    return make_file("spectrum.jdx", status="failed", error_message="It ends after 7,020 points.", **fields)


def test_a_stranger_is_asked_to_sign_in_first(client):
    response = client.get("/")

    assert (response.status_code, response["Location"]) == (302, "/accounts/login/?next=/")


def test_it_counts_the_runs_and_bytes_of_today(home):
    run = make_run()
    make_file(run=run, status="uploaded", size_bytes=44_900_000_000)
    make_run(instrument=run.instrument)
    make_run(instrument=run.instrument, deleted_at=now(), deleted_by=make_user())

    page = home()

    assert "2 runs from 1 instrument today." in page
    assert '<div class="big">2</div>' in page
    assert '<div class="big">44.9<small>GB</small></div>' in page


def test_days_are_those_of_the_service(home, settings):
    settings.TIME_ZONE = "Pacific/Kiritimati"
    make_run(acquired_at=now() - timedelta(days=2))

    assert "No runs today yet." in home()


def test_what_is_quiet_is_said_in_a_sentence(home):
    make_run()

    page = home()

    assert "Nothing needs a look." in page
    assert "Needs attention" not in page


def test_a_failed_file_is_named_with_its_reason(home):
    file = make_failed_file()

    page = home()

    assert "One thing needs a look." in page
    assert (
        f'<a href="/instruments/{file.run.instrument_id}/runs/{file.run.run_id}">spectrum.jdx could not be read' in page
    )
    assert "It ends after 7,020 points." in page


def test_several_failed_files_of_a_run_are_one_thing(home):
    run = make_run()
    make_failed_file(run=run)
    make_file(run=run, status="failed")

    assert "2 files could not be read" in home()


def test_what_failed_weeks_ago_is_history(home):
    make_failed_file(run=make_run(acquired_at=now() - timedelta(days=15)))

    assert "Nothing needs a look." in home()


def test_a_stalled_run_needs_attention(home):
    run = make_run(run_id="plate-0093")
    make_file(run=run, status="processing", processing_since=now() - timedelta(minutes=34))

    assert "plate-0093 is being read for too long" in home()


def test_a_silent_watcher_needs_attention(home):
    make_run()
    watcher = make_watcher(hostname="COLDROOM", status="watching", last_heartbeat_at=now() - timedelta(hours=3))

    assert f'<a href="/watchers/{watcher.id}">COLDROOM is offline</a>' in home()


def test_a_watcher_that_is_there_and_sees_no_files_needs_attention(home):
    make_run()
    heard = {"status": "watching", "last_heartbeat_at": now()}
    away = {"folder_state": "away", "folder_away_since": now() - timedelta(hours=1)}
    make_watcher(hostname="SHARE", **heard, **away)
    make_watcher(hostname="FINE", **heard, folder_state="watching", folder_last_file_at=now() - timedelta(hours=30))
    make_watcher(hostname="GONE", **(heard | {"last_heartbeat_at": now() - timedelta(hours=3)}), **away)
    make_watcher(
        hostname="IDLE",
        **heard,
        instrument=make_instrument(display_name="Sieve", expect_files_every_hours=24),
        folder_state="watching",
        folder_last_file_at=now() - timedelta(hours=30),
    )

    page = home()

    assert "Three things need a look." in page
    assert "SHARE does not see its folder</a>" in page
    assert "IDLE finds no new files</a>" in page
    assert "GONE is offline</a>" in page
    assert "Sieve. No new file since" in page


def test_a_new_instrument_waits_for_an_admin(home):
    make_run()
    make_instrument(id="nanodrop", display_name="NanoDrop", status="pending")

    assert '<a href="/instruments/nanodrop">NanoDrop waits for an admin</a>' in home()


def test_the_latest_runs_stand_first_and_deleted_ones_nowhere(home):
    make_run(run_id="older", acquired_at="2026-01-01T00:00:00Z")
    make_run(run_id="newer", acquired_at="2026-01-02T00:00:00Z")
    make_run(run_id="deleted", deleted_at=now(), deleted_by=make_user())

    page = home()

    assert page.index("newer") < page.index("older")
    assert "deleted</a>" not in page


def test_comments_are_looked_for_among_the_latest_alone(home, monkeypatch):
    monkeypatch.setattr("overview.home.MAX_LOOKED_AT", 2)
    run = make_run()
    for number in range(4):
        make_comment(
            run=run, body=f"seen {number}" if number < 3 else "gone", deleted_at=now() if number == 3 else None
        )

    page = home()

    assert [text in page for text in ("seen 2", "seen 1", "seen 0")] == [True, True, False]


def test_the_latest_comments_are_shown_but_not_those_of_deleted_runs(home):
    make_comment(body="The shoulder at 290 nm is real.")
    make_comment(body="Gone.", run=make_run(deleted_at=now(), deleted_by=make_user()))

    page = home()

    assert "The shoulder at 290 nm is real." in page
    assert "Gone." not in page


def test_an_empty_service_says_how_to_begin(home):
    page = home()

    assert "Three steps to the first run" in page
    assert "instrument-watcher init" in page


def test_the_first_steps_hand_out_the_program_as_the_guide_to_connecting_does(home):
    make_installer("windows", filename="InstrumentWatcher.exe")

    page = home()

    assert 'href="/watchers/connect/program/windows"' in page
    assert "Copy the folder" not in page


def test_the_steps_to_the_first_run_are_ticked_as_they_are_done(home):
    def states():
        return re.findall(r'<li class="(done|now|later)">', home())

    nothing = states()
    watcher = make_watcher(instrument=make_instrument(status="pending", display_name="Reader 7"))
    called = states()
    page = home()
    Instrument.objects.update(status="active")

    assert nothing == ["now", "later", "later"]
    assert called == ["done", "done", "now"]
    assert f'<a href="/instruments/{watcher.instrument_id}">Reader 7</a> waits for an admin.' in page
    assert states() == ["done", "done", "now"]


def test_a_comment_is_told_in_its_own_words(home):
    make_comment(body="> quoted\n\n**Baseline** redone, see `t000`:\n\n| a | b |\n|---|---|\n| 1 | 2 |")

    assert "<p>Baseline redone, see t000:</p>" in home()


def test_names_are_shown_as_text(home):
    run = make_run(run_id="<script>alert(1)<", instrument=make_instrument(display_name="<b>bold</b>"))
    make_comment(run=run, body="<img src=x onerror=alert(1)>")

    page = home()

    assert "<script>alert" not in page
    assert "<img" not in page
    assert "&lt;script&gt;alert(1)&lt;" in page
    assert "&lt;b&gt;bold&lt;/b&gt;" in page


def test_the_number_of_queries_stays_as_rows_grow(client, django_assert_num_queries):
    client.force_login(make_user())
    for _ in range(6):
        make_comment(run=make_failed_file().run)

    # session, person; latest runs; days, instruments of today; failed runs, their rows with a file each, stalled ones,
    # silent watchers, new instruments; comments; the rail: unread messages, followed instruments
    with django_assert_num_queries(15):
        client.get("/")


def back_up(*, days):
    record_backup(name="b", at=now() - timedelta(days=days), has_objects=True, objects=1, size_bytes=1, differences=0)


def test_an_admin_reads_how_old_the_last_backup_is(client):
    client.force_login(make_user(is_admin=True))
    make_run()

    assert "No backup was made yet." in flat(client.get("/"))
    back_up(days=5)
    assert "<strong>The last backup was made" in flat(client.get("/"))
    back_up(days=1)
    assert "<strong>The last backup" not in (page := flat(client.get("/")))
    assert "The last backup was made" in page


def test_members_read_nothing_of_backups(home):
    make_run()

    assert "backup" not in home()


def test_admins_read_which_tokens_end_soon(home, client):
    make_run()
    make_token("runs:read", name="Nightly export", expires_at=now() + timedelta(days=3, hours=1))
    make_token("runs:read", name="Ended", expires_at=now() - timedelta(days=1))
    make_token("runs:read", name="Revoked", expires_at=now() + timedelta(days=2), revoked_at=now())
    make_token("runs:read", name="Later", expires_at=now() + timedelta(days=15))
    assert "Nothing needs a look." in home()
    client.force_login(make_user(is_admin=True))

    page = flat(client.get("/"))

    assert "One thing needs a look." in page
    assert "The access token “Nightly export” ends in 3" in page


def test_admins_read_that_the_store_is_nearly_full(home, client, settings):
    settings.STORE_CAPACITY_GB = 1
    make_file(run=make_run(), status="uploaded", size_bytes=960_000_000, uploaded_at=now())
    measure_space(at=now())
    assert "nearly full" not in home()
    client.force_login(make_user(is_admin=True))

    page = flat(client.get("/"))

    assert "The store is nearly full" in page
    assert "40.0 MB of 1.0 GB are free." in page


def test_a_failed_file_without_a_reason_says_so(home):
    make_file("472-0016_1.txt", status="failed")

    page = home()

    assert "472-0016_1.txt could not be read" in page
    assert "No reason was given." in page
