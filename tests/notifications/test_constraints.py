"""Every named constraint of the inbox, of what people want to hear and of the outbox, violated once."""

import pytest

from notifications.models import Announcement, Follow, Notification, Preference
from tests.factories import make_instrument, make_run, make_user
from wire.clock import now

pytestmark = pytest.mark.django_db


def make_notification(**fields):
    values = {"kind": "generic", "message": "x", "message_sha256": "0" * 64, "sender_kind": "service"} | fields
    recipient = values.pop("recipient", None) or make_user()
    return Notification.objects.create(recipient=recipient, sender_name="s", **values)


@pytest.mark.parametrize(
    ("constraint", "fields"),
    [
        ("notification_kind_is_known", {"kind": "nope"}),
        ("notification_sender_is_known", {"sender_kind": "nope"}),
        ("notification_digest_is_sha256", {"message_sha256": "0" * 63}),
        ("notification_digest_is_sha256", {"message_sha256": "A" * 64}),
        ("notification_message_length", {"message": ""}),
        ("notification_message_length", {"message": "x" * 2_001}),
    ],
)
def test_notifications(refused_by, constraint, fields):
    refused_by(constraint, lambda: make_notification(**fields))


@pytest.mark.parametrize("is_of_a_run", [True, False])
def test_one_unread_copy_with_a_run_and_without(refused_by, is_of_a_run):
    first = make_notification(run=make_run() if is_of_a_run else None)

    refused_by("one_unread_copy_of_a_notification", lambda: make_notification(recipient=first.recipient, run=first.run))


def test_a_copy_that_was_read_makes_room(db):
    first = make_notification(read_at=now())

    assert make_notification(recipient=first.recipient)


@pytest.mark.parametrize(
    ("constraint", "fields"),
    [
        ("preference_kind_is_known", {"kind": "nope"}),
        ("generic_reaches_somewhere", {"kind": "generic", "in_app": False}),
    ],
)
def test_preferences(refused_by, constraint, fields):
    values = {"kind": "comment", "in_app": True, "chat": False} | fields

    refused_by(constraint, lambda: Preference.objects.create(user=make_user(), **values))


def test_one_preference_per_person_and_kind(refused_by):
    values = {"user": make_user(), "kind": "comment", "in_app": True, "chat": False}
    Preference.objects.create(**values)

    refused_by("one_preference_per_person_and_kind", lambda: Preference.objects.create(**values))


def test_one_follow_per_instrument(refused_by):
    values = {"user": make_user(), "instrument": make_instrument()}
    Follow.objects.create(**values)

    refused_by("one_follow_per_instrument", lambda: Follow.objects.create(**values))


def test_announcements(refused_by):
    refused_by(
        "announcement_kind_is_known",
        lambda: Announcement.objects.create(kind="nope", message="x", sender_name="s"),
    )
