from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError

from accounts.callers import caller_for_token
from tests.factories import make_release, make_token, make_watcher
from watchers.models import WatcherRelease
from watchers.ownership import find_own_watcher
from watchers.releases import publish_releases, withdraw_releases
from wire.clock import now

NO_FILE = {"rollback": False, "sha256": None, "size_bytes": None, "signature": None, "download_url": None}


def check(api, **fields):
    return api.get(f"/api/v1/watchers/{make_watcher(**fields).pk}/update-check").json()


def test_without_a_release_there_is_nothing_to_update_to(as_token):
    assert check(as_token("watchers:read"), agent_version="1.0") == {
        "latest_version": None,
        "channel": "stable",
        "mandatory": False,
        "min_supported_version": None,
        "update_available": False,
        **NO_FILE,
    }


def test_a_newer_release_is_offered(as_token):
    make_release("1.10.0", min_supported_version="1.2.0", mandatory=True)

    assert check(as_token(), agent_version="1.9.0") == {
        "latest_version": "1.10.0",
        "channel": "stable",
        "mandatory": True,
        "min_supported_version": "1.2.0",
        "update_available": True,
        **NO_FILE,
    }


@pytest.mark.parametrize(
    ("version", "is_offered"),
    [
        ("1.9.9", True),
        ("2.0.0rc1", True),
        ("2.0.0", False),
        ("2.0", False),
        ("2.1", False),
        (None, True),
        ("dev", True),
    ],
)
def test_an_update_is_offered_to_what_is_older_or_not_known(as_token, version, is_offered):
    make_release("2.0.0")

    assert check(as_token(), agent_version=version)["update_available"] is is_offered


def test_an_agent_below_the_minimum_must_update(as_token):
    make_release("2.0.0", min_supported_version="1.5")

    assert check(as_token(), agent_version="1.4")["mandatory"] is True
    assert check(as_token(), agent_version="1.5")["mandatory"] is False


def test_each_channel_has_its_own_releases(as_token):
    make_release("2.0.0")
    make_release("3.0.0b1", channel="beta")

    assert check(as_token(), channel="beta")["latest_version"] == "3.0.0b1"
    assert check(as_token(), channel="beta")["channel"] == "beta"
    assert check(as_token())["latest_version"] == "2.0.0"


def test_the_release_published_last_is_the_current_one(db):
    token = make_token()
    watcher = make_watcher(token=token)
    make_release("2.0.0", published_at=now() - timedelta(hours=1))
    make_release("1.9.9", published_at=now())
    make_release("3.0.0", published_at=None)

    assert find_own_watcher(watcher.pk, by=caller_for_token(token)).latest_version == "1.9.9"


def test_a_withdrawn_release_gives_way_to_the_one_before(as_token):
    make_release("2.0.0", published_at=now() - timedelta(hours=1))
    make_release("2.1.0")

    withdraw_releases(WatcherRelease.objects.filter(version="2.1.0"), at=now())

    assert check(as_token())["latest_version"] == "2.0.0"


def test_an_old_release_can_be_brought_back(as_token):
    make_release("2.0.0", published_at=now() - timedelta(hours=1))
    make_release("2.1.0", published_at=now() - timedelta(minutes=1))

    publish_releases(WatcherRelease.objects.filter(version="2.0.0"), at=now())

    assert check(as_token())["latest_version"] == "2.0.0"


def test_both_look_ups_of_the_current_release_agree(as_token):
    api = as_token()
    watcher, at = make_watcher(token=api.token), now()
    for version in ("1.0", "3.0", "2.0"):
        make_release(version, published_at=at)

    asked = api.get(f"/api/v1/watchers/{watcher.pk}/update-check").json()["latest_version"]

    assert find_own_watcher(watcher.pk, by=caller_for_token(api.token)).latest_version == asked == "2.0"


@pytest.mark.parametrize(
    ("version", "minimum", "field"),
    [("new", None, "version"), ("2.0", "old", "min_supported_version"), ("2.0", "2.0.1", "min_supported_version")],
)
def test_a_release_names_versions_that_can_be_compared(db, version, minimum, field):
    with pytest.raises(ValidationError) as refusal:
        WatcherRelease(version=version, min_supported_version=minimum).full_clean()

    assert list(refusal.value.message_dict) == [field]
