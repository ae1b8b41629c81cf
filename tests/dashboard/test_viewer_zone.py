"""Days are those of who looks: as chosen in the settings, else as the browser says, else the service's."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils.timezone import get_current_timezone_name

from notifications.inbox import store_notifications
from notifications.models import NotificationKind
from notifications.senders import SERVICE_SENDER
from tests.clients import Api
from tests.factories import make_run, make_user
from wire.clock import now

pytestmark = pytest.mark.django_db
EVENING = datetime(2026, 3, 4, 12, 30, tzinfo=UTC)  # the fifth of March in Auckland, the fourth in Berlin
AUCKLAND, BERLIN = "Pacific/Auckland", "Europe/Berlin"


@pytest.fixture
def evening_run():
    return make_run(run_id="evening", acquired_at=EVENING)


@pytest.fixture
def in_auckland(client):
    client.force_login(make_user(time_zone=AUCKLAND))
    return client


def days_shown(client):
    """On which of the two days the list has the run."""
    lists = {day: client.get(f"/runs?date_from={day}&date_to={day}") for day in ("2026-03-04", "2026-03-05")}
    return [day for day, answer in lists.items() if "evening" in answer.content.decode()]


def test_the_filter_goes_by_the_setting(evening_run, in_auckland):
    in_auckland.cookies["time_zone"] = BERLIN

    assert days_shown(in_auckland) == ["2026-03-05"]


def test_the_filter_goes_by_the_browser_where_nothing_is_set(evening_run, client):
    client.force_login(make_user())
    assert days_shown(client) == ["2026-03-04"]

    client.cookies["time_zone"] = AUCKLAND

    assert days_shown(client) == ["2026-03-05"]


@pytest.mark.parametrize("name", ["Mars/Base", "../../etc/passwd", "Factory", "x" * 3000, "'; --", "Europe/Berlin\n"])
def test_a_browser_that_says_nonsense_is_not_believed(evening_run, client, name):
    client.force_login(make_user())
    client.cookies["time_zone"] = name

    assert days_shown(client) == ["2026-03-04"]


def test_a_zone_that_the_database_does_not_know_is_not_used(evening_run, in_auckland, monkeypatch):
    monkeypatch.setattr("wire.time_zones._known_to_database", lambda: frozenset({BERLIN}))

    assert days_shown(in_auckland) == ["2026-03-04"]


def test_groups_of_days_are_theirs(evening_run, in_auckland):
    assert "2026-03-05" in in_auckland.get("/runs?group_by=day").content.decode()


def test_the_inbox_is_parted_by_their_midnights(client):
    person = make_user(time_zone=AUCKLAND)
    client.force_login(person)
    midnight = datetime(2026, 3, 4, 11, 0, tzinfo=UTC)  # in Auckland
    for at in (midnight, midnight - timedelta(minutes=1)):
        kind, message = NotificationKind.GENERIC, f"Of {at}."
        store_notifications(
            recipients=[person.pk], kind=kind, message=message, sender=SERVICE_SENDER, run_id=None, at=at
        )

    assert len(client.get("/inbox?show=all").context["days"]) == 2


def test_rest_counts_by_the_service(evening_run):
    api = Api(user=make_user(time_zone=AUCKLAND))
    api.client.cookies["time_zone"] = AUCKLAND

    found = api.get("/api/v1/instrument-runs?date_from=2026-03-04&date_to=2026-03-04").json()

    assert [run["run_id"] for run in found["data"]] == ["evening"]


def test_nothing_of_it_stays_with_the_thread(in_auckland):
    before = get_current_timezone_name()

    in_auckland.get("/")

    assert get_current_timezone_name() == before
    assert now().tzinfo is UTC
