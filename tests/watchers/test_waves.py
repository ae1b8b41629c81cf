"""Which watchers a release reaches, and which of them go back."""

import uuid
from datetime import timedelta

import pytest

from accounts.callers import caller_for_token
from tests.factories import make_release, make_token, make_watcher
from watchers.models import WatcherRelease
from watchers.ownership import find_own_watcher
from watchers.update_checks import wave_place
from wire.clock import now

pytestmark = pytest.mark.django_db
FIRST, LAST = uuid.UUID(int=9), uuid.UUID(int=10)  # a wave of ten percent has the places 0 to 9
SETTINGS = "/api/v1/settings/watcher-releases"


def check(api, watcher):
    return api.get(f"/api/v1/watchers/{watcher.pk}/update-check").json()


def test_a_wave_of_ten_percent_reaches_the_same_tenth_of_the_watchers_each_time(as_token):
    make_release("2.1.0", wave_percent=10)
    inside, outside = make_watcher(id=FIRST, agent_version="2.0.0"), make_watcher(id=LAST, agent_version="2.0.0")

    answers = [check(as_token(), watcher)["update_available"] for watcher in (inside, outside, inside, outside)]

    assert answers == [True, False, True, False]


def test_a_thousand_watchers_fall_evenly_into_a_wave():
    reached = sum(wave_place(uuid.uuid4()) < 10 for _ in range(5_000))

    assert 350 < reached < 650  # seven standard deviations to each side


def test_outside_the_wave_the_release_before_it_counts(as_token):
    make_release("2.0.0", published_at=now() - timedelta(days=1))
    make_release("2.1.0", wave_percent=10)

    answer = check(as_token(), make_watcher(id=LAST, agent_version="1.9.0"))

    assert (answer["latest_version"], answer["update_available"], answer["rollback"]) == ("2.0.0", True, False)


def test_a_smaller_wave_leads_nobody_back(as_token):
    make_release("2.0.0", published_at=now() - timedelta(days=1))
    make_release("2.1.0", wave_percent=10)

    answer = check(as_token(), make_watcher(id=LAST, agent_version="2.1.0"))

    assert (answer["update_available"], answer["rollback"]) == (False, False)


def test_a_release_that_has_not_reached_a_watcher_refuses_no_heartbeat_of_it():
    token = make_token()
    make_release("2.1.0", wave_percent=10, min_supported_version="2.0.0")
    inside, outside = make_watcher(id=FIRST, token=token), make_watcher(id=LAST, token=token)

    found = [find_own_watcher(one.pk, by=caller_for_token(token)).latest_version for one in (inside, outside)]

    assert found == ["2.1.0", None]


@pytest.mark.parametrize("number", [0, 99, 100, 2**31, 2**32 - 1, 2**64 + 7])
def test_both_look_ups_put_a_watcher_at_the_same_place(number):
    token, watcher_id = make_token(), uuid.UUID(int=number)
    watcher = make_watcher(id=watcher_id, token=token)
    place = wave_place(watcher_id)
    release = make_release("2.1.0", wave_percent=place)

    before = find_own_watcher(watcher.pk, by=caller_for_token(token)).latest_version
    WatcherRelease.objects.filter(pk=release.pk).update(wave_percent=place + 1)
    after = find_own_watcher(watcher.pk, by=caller_for_token(token)).latest_version

    assert (before, after) == (None, "2.1.0")


def test_a_withdrawn_release_leads_back_to_the_one_before(as_token, as_admin):
    make_release("2.0.0", published_at=now() - timedelta(days=1))
    release, watcher = make_release("2.1.0"), make_watcher(agent_version="2.1.0")

    withdrawn = as_admin().patch(f"{SETTINGS}/{release.pk}", {"withdrawn": True})

    answer = check(as_token(), watcher)
    assert withdrawn.json()["withdrawn_at"] is not None
    assert (answer["latest_version"], answer["update_available"], answer["rollback"]) == ("2.0.0", True, True)
    assert answer["mandatory"] is True


def test_without_another_release_a_withdrawn_one_leads_back_to_what_the_agent_ran(as_token):
    make_release("2.1.0", withdrawn_at=now())

    answer = check(as_token(), make_watcher(agent_version="2.1.0"))

    assert (answer["latest_version"], answer["update_available"], answer["rollback"]) == (None, True, True)


def test_an_older_release_published_again_leads_back(as_token):
    make_release("2.0.0", published_at=now())
    make_release("2.1.0", published_at=now() - timedelta(days=1))

    answer = check(as_token(), make_watcher(agent_version="2.1.0"))

    assert (answer["latest_version"], answer["rollback"]) == ("2.0.0", True)


def test_a_version_that_was_never_released_here_is_left_alone(as_token):
    make_release("2.0.0")

    answer = check(as_token(), make_watcher(agent_version="2.2.0"))

    assert (answer["update_available"], answer["rollback"]) == (False, False)


def test_a_withdrawal_that_is_taken_back_offers_the_release_again(as_token, as_admin):
    release = make_release("2.1.0", withdrawn_at=now())
    admin = as_admin()

    admin.patch(f"{SETTINGS}/{release.pk}", {"withdrawn": False})

    assert check(as_token(), make_watcher(agent_version="2.0.0"))["latest_version"] == "2.1.0"


def test_a_draft_cannot_be_withdrawn(as_admin):
    release = make_release(published_at=None)

    assert as_admin().patch(f"{SETTINGS}/{release.pk}", {"withdrawn": True}).status_code == 409


@pytest.mark.parametrize("body", [{}, {"wave_percent": 101}, {"wave_percent": -1}, {"wave_percent": "10"}])
def test_a_wrong_change_is_refused(as_admin, body):
    assert as_admin().patch(f"{SETTINGS}/{make_release().pk}", body).status_code == 400


def test_the_wave_is_set_by_rest(as_admin):
    answer = as_admin().patch(f"{SETTINGS}/{make_release().pk}", {"wave_percent": 10})

    assert (answer.status_code, answer.json()["wave_percent"]) == (200, 10)
