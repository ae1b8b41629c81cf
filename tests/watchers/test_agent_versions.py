"""426: agents that are older than the current release supports."""

import pytest

from tests.factories import make_release, make_watcher
from watchers.models import Heartbeat


def route(watcher):
    return f"/api/v1/watchers/{watcher.pk}/heartbeat"


def test_an_agent_below_the_minimum_is_refused_and_nothing_is_recorded(as_token):
    api = as_token()
    watcher = make_watcher(token=api.token)
    make_release("2.1.0", min_supported_version="1.10.0")

    answer = api.post(route(watcher), {"status": "watching", "agent_version": "1.9.9"})

    watcher.refresh_from_db()
    assert answer.status_code == 426
    assert answer.json()["error"]["code"] == "UPGRADE_REQUIRED"
    assert answer.json()["error"]["details"] == {
        "current_version": "1.9.9",
        "min_supported_version": "1.10.0",
        "latest_version": "2.1.0",
    }
    assert watcher.last_heartbeat_at is None
    assert not Heartbeat.objects.exists()


def test_the_version_of_the_registration_counts_where_a_heartbeat_names_none(as_token):
    api = as_token()
    make_release("2.0.0", min_supported_version="2.0.0")

    answer = api.post(route(make_watcher(token=api.token, agent_version="1.0")), {"status": "watching"})

    assert answer.status_code == 426


@pytest.mark.parametrize("agent_version", ["2.0.0", "2.0.1", "10.0", "built from source", None])
def test_an_agent_that_is_not_known_to_be_older_is_heard(as_token, agent_version):
    api = as_token()
    make_release("2.1.0", min_supported_version="2.0.0")

    answer = api.post(route(make_watcher(token=api.token)), {"status": "watching", "agent_version": agent_version})

    assert answer.status_code == 200


@pytest.mark.parametrize(
    "release",
    [
        {"version": "3.0.0", "min_supported_version": "3.0.0", "channel": "beta"},
        {"version": "3.0.0", "min_supported_version": "3.0.0", "published_at": None},
        {"version": "3.0.0"},
    ],
)
def test_drafts_other_channels_and_releases_without_a_minimum_refuse_nobody(as_token, release):
    api = as_token()
    make_release(**release)

    answer = api.post(route(make_watcher(token=api.token, agent_version="1.0")), {"status": "watching"})

    assert answer.status_code == 200
