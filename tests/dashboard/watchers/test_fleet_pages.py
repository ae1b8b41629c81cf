"""The pages of watchers: the fleet, one of them, and taking them off."""

import uuid
from datetime import timedelta

import pytest

from tests.factories import make_event, make_file, make_instrument, make_release, make_run, make_user, make_watcher
from tests.markup import flat
from watchers.models import Heartbeat
from watchers.partitions import ensure_partitions
from watchers.uptime import find_longest_gap, read_uptime
from wire.clock import now

pytestmark = pytest.mark.django_db


@pytest.fixture
def person(client):
    client.force_login(make_user())
    return client


@pytest.fixture
def admin(client):
    client.force_login(make_user(is_admin=True))
    return client


def make_online(**fields):
    return make_watcher(status="watching", last_heartbeat_at=now(), **fields)


def make_silent(**fields):
    return make_watcher(status="watching", last_heartbeat_at=now() - timedelta(hours=3), **fields)


def beat_from(watcher, begin, *, minutes, every=1):
    ensure_partitions(at=begin)
    moments = [begin + timedelta(minutes=number) for number in range(0, minutes, every)]
    Heartbeat.objects.bulk_create([Heartbeat(watcher=watcher, received_at=at, status="watching") for at in moments])


@pytest.mark.parametrize("path", ["/watchers", "/watchers/connect", "/watchers/00000000-0000-4000-8000-000000000000"])
def test_strangers_are_asked_to_sign_in(client, path):
    assert client.get(path).status_code == 302


def test_those_in_trouble_come_first(person):
    make_online(hostname="ALPHA")
    make_silent(hostname="ZULU")

    page = flat(person.get("/watchers"))

    assert page.index("ZULU") < page.index("ALPHA")
    assert "1 of 2 is online, 1 offline." in page


def test_the_list_can_be_sorted(person):
    make_online(hostname="ALPHA")
    make_silent(hostname="ZULU")

    page = person.get("/watchers?sort=watcher").content.decode()

    assert page.index("ALPHA") < page.index("ZULU")


def test_an_older_agent_is_marked(person):
    make_release("1.4.0")
    make_online(agent_version="1.3.2")

    page = flat(person.get("/watchers"))

    assert 'data-status="behind"' in page
    assert "one runs an older version" in page


def test_deregistered_ones_have_a_tab(person):
    make_watcher(hostname="RETIRED", deleted_at=now(), status="stopped")

    assert "RETIRED" not in person.get("/watchers").content.decode()
    assert "RETIRED" in person.get("/watchers?state=deregistered").content.decode()


def test_the_list_counts_errors_and_waiting_files(person):
    watcher = make_online()
    make_event(watcher=watcher, event_type="upload_failed")
    make_event(watcher=watcher, event_type="run_reported")
    make_file(run=make_run(instrument=watcher.instrument), status="upload_requested")

    page = flat(person.get("/watchers"))

    assert '<td class="num" data-label="Errors"><b>1</b></td>' in page
    assert '<td class="num dim" data-label="Waiting">1</td>' in page


def test_the_queries_of_the_list_stay_as_the_fleet_grows(person, django_assert_num_queries):
    for _ in range(5):
        make_online()

    # session, person; watchers, releases, heartbeats, errors, waiting files; the rail: unread, followed
    with django_assert_num_queries(10):
        person.get("/watchers")


def test_the_page_shows_what_it_told_and_waits_for(person):
    watcher = make_silent(hostname="COLDROOM", agent_version="1.4.0")
    make_event(watcher=watcher, message="Watching C:\\Export", event_type="watcher_started")
    make_file("run-3.zip", run=make_run(instrument=watcher.instrument), status="upload_requested")

    page = flat(person.get(f"/watchers/{watcher.id}"))

    assert "Not heard since" in page
    assert "1 file waits there and will come by itself" in page
    assert "Watching C:\\Export" in page
    assert "run-3.zip" in page


def test_events_can_be_filtered_by_kind_time_and_errors(person):
    watcher = make_online()
    make_event(watcher=watcher, event_type="error", message="recent trouble")
    make_event(watcher=watcher, event_type="error", message="old trouble", happened_at=now() - timedelta(days=9))
    make_event(watcher=watcher, event_type="run_reported", message="a run")

    page = person.get(f"/watchers/{watcher.id}?errors=1&since=7&kind=error&kind=run_reported").content.decode()

    assert "recent trouble" in page
    assert "old trouble" not in page
    assert "a run" not in page


def test_the_log_alone_answers_htmx(person):
    watcher = make_online()

    page = person.get(f"/watchers/{watcher.id}", headers={"HX-Request": "true"}).content.decode()

    assert "<html" not in page
    assert 'id="log"' in page


def test_odd_filters_are_ignored(person):
    watcher = make_online()

    response = person.get(f"/watchers/{watcher.id}?since=x&kind=nothing&days=100000&errors=y")

    assert response.status_code == 200


def test_the_configuration_is_shown_as_text(person):
    watcher = make_online(
        hostname="<b>x", config_yaml="# <script>\nfolder: </pre>\n", config_checksum="0" * 64, config_updated_at=now()
    )

    page = person.get(f"/watchers/{watcher.id}").content.decode()

    assert '<span class="c"># &lt;script&gt;</span>' in page
    assert '<span class="k">folder:</span> &lt;/pre&gt;' in page
    assert "<b>x" not in page


def test_an_unknown_watcher_is_a_page(person):
    assert person.get("/watchers/00000000-0000-4000-8000-000000000000").status_code == 404


def test_an_admin_deregisters_after_being_asked_once_more(admin):
    watcher = make_online(hostname="COLDROOM")

    asked = admin.post("/watchers/deregister", {"watcher": str(watcher.id)})
    watcher.refresh_from_db()
    still_there = watcher.deleted_at
    done = admin.post("/watchers/deregister", {"watcher": str(watcher.id), "sure": "1"})

    watcher.refresh_from_db()
    assert (asked.status_code, still_there) == (200, None)
    assert "COLDROOM" in asked.content.decode()
    assert done.status_code == 302
    assert watcher.deleted_at is not None


def test_others_may_not_deregister(person):
    watcher = make_online()

    response = person.post("/watchers/deregister", {"watcher": str(watcher.id), "sure": "1"})

    watcher.refresh_from_db()
    assert (response.status_code, watcher.deleted_at) == (403, None)
    assert "Deregister…" not in person.get("/watchers").content.decode()


def test_what_is_no_id_is_refused(admin):
    assert admin.post("/watchers/deregister", {"watcher": "x"}).status_code == 400


def test_an_hour_is_heard_partly_or_not_at_all():
    since = now().replace(minute=0, second=0, microsecond=0) - timedelta(hours=5)
    watcher = make_watcher(created_at=since + timedelta(hours=1))
    beat_from(watcher, since + timedelta(hours=1), minutes=60)
    beat_from(watcher, since + timedelta(hours=2), minutes=20)

    strip = read_uptime([watcher], since=since, hours=7, at=since + timedelta(hours=5))[watcher.pk]

    assert list(strip.states) == ["none", "", "part", "off", "off", "none", "none"]
    assert strip.summary == "heard in 2 of 4 hours"


def test_the_longest_silence_lies_between_two_heartbeats():
    begin = now() - timedelta(hours=5)
    watcher = make_watcher()
    beat_from(watcher, begin, minutes=10)
    beat_from(watcher, begin + timedelta(hours=2), minutes=10)

    silence = find_longest_gap(watcher.pk, since=begin)

    assert silence is not None
    assert (silence.begins, silence.ends) == (begin + timedelta(minutes=9), begin + timedelta(hours=2))


def test_short_gaps_are_no_silence():
    watcher = make_watcher(instrument=make_instrument())
    beat_from(watcher, now() - timedelta(hours=1), minutes=30, every=4)

    assert find_longest_gap(watcher.pk, since=now() - timedelta(hours=2)) is None


@pytest.mark.parametrize(
    ("state", "words"),
    [("away", "is away"), ("empty_mount", "is an empty mount point"), ("denied", "cannot be read")],
)
@pytest.mark.parametrize("path", ["/watchers", "/watchers/{}"])
def test_a_folder_that_is_not_watched_is_told_of_in_words(person, state, words, path):
    watcher = make_online(folder_state=state, folder_away_since=now())

    page = flat(person.get(path.format(watcher.pk)))

    assert f"The folder {words} since" in page


@pytest.mark.parametrize("path", ["/watchers", "/watchers/{}"])
def test_files_that_do_not_come_are_told_of(person, path):
    at = now()
    watcher = make_online(
        instrument=make_instrument(expect_files_every_hours=2),
        folder_state="watching",
        folder_last_scan_at=at,
        folder_last_file_at=at - timedelta(hours=3),
    )

    page = flat(person.get(path.format(watcher.pk)))

    assert "No new file since" in page


def test_blind_watchers_stand_before_those_that_see(person):
    make_online(hostname="ALPHA", folder_state="watching")
    make_online(hostname="ZULU", folder_state="away", folder_away_since=now())

    page = person.get("/watchers").content.decode()

    assert page.index("ZULU") < page.index("ALPHA")


def make_conflict():
    return make_online(instance_id=uuid.UUID(int=1), other_instance_id=uuid.UUID(int=2), instance_conflict_at=now())


def test_an_admin_settles_a_conflict_from_the_page(admin):
    watcher = make_conflict()
    page = admin.get(f"/watchers/{watcher.pk}").content.decode()

    answer = admin.post(f"/watchers/{watcher.pk}/instance", {"instance_id": str(uuid.UUID(int=2))})

    watcher.refresh_from_db()
    assert "Two computers report as this watcher" in page
    assert str(uuid.UUID(int=2)) in page
    assert answer["Location"] == f"/watchers/{watcher.pk}"
    assert (watcher.instance_id, watcher.other_instance_id) == (uuid.UUID(int=2), None)


def test_people_read_of_a_conflict_but_only_admins_settle_it(person):
    watcher = make_conflict()

    page = person.get(f"/watchers/{watcher.pk}").content.decode()

    assert "Two computers report as this watcher" in page
    assert f"/watchers/{watcher.pk}/instance" not in page
