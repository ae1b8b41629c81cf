"""What admins are told of in time: tokens that end, a store that is nearly full."""

from datetime import timedelta

import pytest

from notifications.models import Notification
from notifications.tasks import warn_of_ending_tokens
from overview.tasks import measure_space_used
from tests.factories import make_file, make_run, make_token, make_user
from wire.clock import now

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin():
    return make_user(is_admin=True)


def make_ending_token(*, days, lived=60):
    moment = now()
    return make_token(
        "runs:read",
        name="Nightly export",
        created_at=moment - timedelta(days=lived),
        expires_at=moment + timedelta(days=days) - timedelta(minutes=1),
    )


def messages_of(person):
    return list(Notification.objects.filter(recipient=person).order_by("id").values_list("message", flat=True))


@pytest.mark.parametrize(("days", "words"), [(14, "14 days"), (5, "14 days"), (3, "3 days"), (1, "a day")])
def test_admins_hear_14_3_and_1_days_before_a_token_ends(admin, days, words):
    make_user()
    token = make_ending_token(days=days)

    warn_of_ending_tokens()

    [message] = messages_of(admin)
    assert message.startswith(f"The access token “Nightly export” ({token.prefix}…) ends within {words}, on ")
    assert Notification.objects.count() == 1


def test_each_warning_comes_once_though_it_was_read(admin):
    token = make_ending_token(days=14)
    warn_of_ending_tokens()
    Notification.objects.update(read_at=now())
    warn_of_ending_tokens()
    assert len(messages_of(admin)) == 1
    token.expires_at = now() + timedelta(days=2)
    token.save()

    warn_of_ending_tokens()
    warn_of_ending_tokens()

    assert len(messages_of(admin)) == 2


@pytest.mark.parametrize(("days", "lived"), [(15, 60), (-1, 60), (10, 1), (0.5, 0.2)])
def test_what_ends_later_has_ended_or_was_made_for_a_short_time_is_not_told(admin, days, lived):
    make_ending_token(days=days, lived=lived)

    warn_of_ending_tokens()

    assert messages_of(admin) == []


def test_who_does_not_see_the_instruments_of_a_token_does_not_read_of_it(admin):
    run = make_run()
    token = make_ending_token(days=2)
    token.instrument_ids = [run.instrument_id]
    token.save()

    warn_of_ending_tokens()

    assert Notification.objects.get().instrument_ids == [run.instrument_id]


def test_a_nearly_full_store_is_told_once_a_week(admin, settings):
    settings.STORE_CAPACITY_GB = 1
    make_file(run=make_run(), status="uploaded", size_bytes=960_000_000, uploaded_at=now())

    measure_space_used()
    Notification.objects.update(read_at=now())
    measure_space_used()
    assert messages_of(admin) == [
        "The store is nearly full. Settings, Space says when it will be, and what would free it."
    ]
    Notification.objects.update(created_at=now() - timedelta(days=8))
    measure_space_used()

    assert len(messages_of(admin)) == 2


def test_a_store_with_room_is_not_told(admin, settings):
    settings.STORE_CAPACITY_GB = 1
    make_file(run=make_run(), status="uploaded", size_bytes=900_000_000, uploaded_at=now())

    measure_space_used()

    assert messages_of(admin) == []
