"""What comes in numbers within five minutes is one message to each person."""

from datetime import timedelta

import pytest
from django.db import transaction

from notifications.announcements import announce, deliver_next_announcement
from notifications.grouping import join_messages
from notifications.models import Announcement, Follow, Notification, NotificationKind
from tests.factories import make_user, make_watcher
from tests.races import at_once
from watchers.models import Watcher
from watchers.signals import (
    files_went_missing,
    folder_went_away,
    instance_conflict_noticed,
    watcher_came_online,
    watcher_went_offline,
)
from wire.clock import now

pytestmark = pytest.mark.django_db
WINDOW = timedelta(minutes=5)
GROUPED = pytest.mark.parametrize(
    ("signal", "headline"),
    [
        (watcher_went_offline, "3 watchers fell silent.\n"),
        (watcher_came_online, "3 watchers are back.\n"),
        (folder_went_away, "3 watchers cannot see their folder.\n"),
        (files_went_missing, "3 watchers have found no new file for too long.\n"),
        (instance_conflict_noticed, "3 watchers are reported by two computers each.\n"),
    ],
)


def deliver(at):
    while deliver_next_announcement(at=at):
        pass


def make_blind_watcher(number):
    return make_watcher(hostname=f"pc-{number}", folder_state="away", folder_away_since=now())


@GROUPED
def test_several_of_a_kind_within_five_minutes_are_one_message(signal, headline):
    make_user(is_admin=True)
    begin = now()
    for number in range(3):
        signal.send(Watcher, watcher=make_blind_watcher(number), at=begin + number * timedelta(minutes=2))

    deliver(begin + WINDOW)

    message = Notification.objects.get().message
    assert message.startswith(headline)
    assert all(name in message for name in ("pc-0", "pc-1", "pc-2"))


def test_a_hundred_and_fifty_silent_watchers_are_one_message():
    make_user(is_admin=True)
    begin = now()
    for number in range(150):
        watcher_went_offline.send(Watcher, watcher=make_watcher(hostname=f"pc-{number}"), at=begin)

    deliver(begin + WINDOW)

    message = Notification.objects.get().message
    assert message.startswith("150 watchers fell silent.\npc-0 at Plate reader has not been heard from.\n")
    assert message.endswith(" more.")
    assert len(message) <= 2_000


def test_one_alone_is_told_as_it_is_once_its_five_minutes_are_over():
    make_user(is_admin=True)
    begin = now()
    watcher_went_offline.send(Watcher, watcher=make_watcher(hostname="pc-1"), at=begin)

    deliver(begin + WINDOW - timedelta(seconds=1))
    early = Notification.objects.count()
    deliver(begin + WINDOW)

    assert early == 0
    assert Notification.objects.get().message == "pc-1 at Plate reader has not been heard from."


def test_what_comes_after_five_minutes_is_a_message_of_its_own():
    make_user(is_admin=True)
    begin = now()
    for number, minutes in enumerate((0, 5)):
        watcher_went_offline.send(
            Watcher, watcher=make_watcher(hostname=f"pc-{number}"), at=begin + timedelta(minutes=minutes)
        )

    deliver(begin + 2 * WINDOW)

    assert Notification.objects.count() == 2


def test_kinds_are_not_mixed():
    make_user(is_admin=True)
    begin = now()
    watcher_went_offline.send(Watcher, watcher=make_watcher(), at=begin)
    watcher_came_online.send(Watcher, watcher=make_watcher(), at=begin)

    deliver(begin + WINDOW)

    assert set(Notification.objects.values_list("kind", flat=True)) == {"watcher_offline", "watcher_online"}


def test_a_follower_reads_only_of_what_is_followed():
    make_user(email="boss@lab.example", is_admin=True)
    begin, watchers = now(), [make_watcher(hostname=f"pc-{number}") for number in range(3)]
    Follow.objects.create(user=make_user(email="ada@lab.example"), instrument=watchers[1].instrument)
    for watcher in watchers:
        watcher_went_offline.send(Watcher, watcher=watcher, at=begin)

    deliver(begin + WINDOW)

    told = dict(Notification.objects.values_list("recipient__email", "message"))
    assert told["ada@lab.example"] == "pc-1 at Plate reader has not been heard from."
    assert told["boss@lab.example"].startswith("3 watchers fell silent.\n")


def test_conflicts_are_told_to_admins_alone():
    make_user(email="boss@lab.example", is_admin=True)
    begin, watcher = now(), make_watcher()
    Follow.objects.create(user=make_user(), instrument=watcher.instrument)
    instance_conflict_noticed.send(Watcher, watcher=watcher, at=begin)

    deliver(begin + WINDOW)

    assert Notification.objects.get().recipient.email == "boss@lab.example"


def test_a_message_says_how_many_it_has_no_room_for():
    text = join_messages(NotificationKind.WATCHER_OFFLINE, ["a was not heard.", "b " * 40, "c"], max_length=70)

    assert text == "3 watchers fell silent.\na was not heard.\nAnd 2 more."


@pytest.mark.django_db(transaction=True)
def test_of_many_at_once_one_opens_the_group():
    at = now()

    def tell(number):
        with transaction.atomic():
            announce(kind=NotificationKind.NO_FILES, message=f"m{number}", at=at)

    at_once(8, tell)

    assert Announcement.objects.filter(joined_to__isnull=True).count() == 1


def test_an_announcement_joins_another(refused_by):
    line = Announcement.objects.create(kind="no_files", message="x", sender_name="s")

    refused_by("announcement_joins_another", lambda: Announcement.objects.filter(pk=line.pk).update(joined_to=line))
