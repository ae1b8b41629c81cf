"""What people hear of, and who."""

from datetime import timedelta

import pytest
from django.db import DatabaseError

from accounts.callers import caller_for_token, caller_for_user
from files.changes import FileChange, change_file
from files.choices import FileStatus
from jobs.leases import due_jobs, lease_job
from notifications.announcements import ANNOUNCEMENTS, deliver_announcement, deliver_next_announcement, forget_delivered
from notifications.grouping import GROUPING_WINDOW
from notifications.models import Announcement, Follow, Notification
from runs.comments.discussion import add_comment
from runs.lifecycle import RunReport, find_or_create_run
from runs.models import Claim
from tests.factories import make_file, make_instrument, make_run, make_token, make_user, make_watcher
from watchers.models import Watcher
from watchers.signals import watcher_came_online, watcher_went_offline
from wire.clock import now


@pytest.fixture
def deliver(db):
    """Sends everything out; answers who was told what."""

    def run() -> set[tuple[str, str]]:
        while deliver_next_announcement(at=now() + GROUPING_WINDOW):
            pass
        return set(Notification.objects.values_list("recipient__email", "kind"))

    return run


def test_followers_hear_of_a_new_run(deliver):
    instrument, ada, _ = make_instrument(), make_user(email="ada@lab.example"), make_user()
    Follow.objects.create(user=ada, instrument=instrument)

    find_or_create_run(
        instrument=instrument.pk, report=RunReport("r1"), by=caller_for_token(make_token(name="agent")), at=now()
    )

    assert deliver() == {("ada@lab.example", "run_created")}
    assert Notification.objects.get().sender_name == "agent"


def test_a_repeated_report_announces_nothing_more(deliver):
    instrument, by = make_instrument(), caller_for_token(make_token())
    for _ in range(2):
        find_or_create_run(instrument=instrument.pk, report=RunReport("r1"), by=by, at=now())

    assert Announcement.objects.count() == 1


def test_claimants_and_commenters_hear_of_a_comment_but_not_its_author(deliver):
    run = make_run()
    ada, bob, eve = (make_user(email=f"{name}@lab.example") for name in ("ada", "bob", "eve"))
    Claim.objects.create(run=run, user=ada)
    names = {"instrument": run.instrument_id, "run_id": run.run_id, "at": now()}
    add_comment(**names, body="first", by=caller_for_user(bob))
    deliver()
    Notification.objects.all().delete()

    add_comment(**names, body="second", by=caller_for_user(eve))

    assert deliver() == {("ada@lab.example", "comment"), ("bob@lab.example", "comment")}


def test_admins_followers_and_claimants_hear_of_a_failed_file_once(deliver):
    run = make_run()
    files = [make_file(run=run, status="processing") for _ in range(3)]
    make_user(email="boss@lab.example", is_admin=True)
    ada = make_user(email="ada@lab.example")
    Claim.objects.create(run=run, user=ada)

    for file in files:
        change_file(file.pk, change=FileChange(status=FileStatus.FAILED), by=caller_for_token(make_token()), at=now())

    assert deliver() == {("boss@lab.example", "run_failed"), ("ada@lab.example", "run_failed")}
    assert Notification.objects.count() == 2


@pytest.mark.parametrize(
    ("signal", "kind"), [(watcher_went_offline, "watcher_offline"), (watcher_came_online, "watcher_online")]
)
def test_followers_and_admins_hear_of_watchers(deliver, signal, kind):
    watcher = make_watcher()
    make_user(email="boss@lab.example", is_admin=True)
    Follow.objects.create(user=make_user(email="ada@lab.example"), instrument=watcher.instrument)

    signal.send(sender=Watcher, watcher=watcher, at=now())

    assert deliver() == {("boss@lab.example", kind), ("ada@lab.example", kind)}


def test_delivering_twice_changes_nothing_more(deliver):
    watcher, _ = make_watcher(), make_user(is_admin=True)
    watcher_went_offline.send(sender=Watcher, watcher=watcher, at=now())
    line = Announcement.objects.get()

    assert deliver_announcement(line.pk, at=now() + GROUPING_WINDOW) is True
    assert deliver_announcement(line.pk, at=now() + GROUPING_WINDOW) is False
    assert Notification.objects.count() == 1


def test_a_delivery_that_breaks_is_tried_again_later(deliver, monkeypatch):
    watcher_went_offline.send(sender=Watcher, watcher=make_watcher(), at=now())

    def broken(line):
        raise DatabaseError("no space")

    monkeypatch.setattr("notifications.addressees.recipients_of", broken)
    deliver()

    line = Announcement.objects.get()
    assert (line.attempts, line.error_message, line.delivered_at) == (1, "no space", None)
    assert not due_jobs(ANNOUNCEMENTS, at=now() + GROUPING_WINDOW)
    assert due_jobs(ANNOUNCEMENTS, at=now() + GROUPING_WINDOW + timedelta(minutes=2)).get() == line


def test_an_announcement_that_kills_its_worker_is_given_up_after_five_attempts(deliver):
    watcher_went_offline.send(sender=Watcher, watcher=make_watcher(), at=now())
    line = Announcement.objects.get()

    for hours in range(1, 6):
        lease_job(ANNOUNCEMENTS, line.pk, at=now() + timedelta(hours=hours))

    assert deliver_announcement(line.pk, at=now() + timedelta(hours=7)) is False
    assert not due_jobs(ANNOUNCEMENTS, at=now() + timedelta(hours=8))


def test_delivered_lines_go_after_a_week(deliver):
    watcher_went_offline.send(sender=Watcher, watcher=make_watcher(), at=now())
    deliver()

    assert forget_delivered(at=now() + timedelta(days=8)) == 1
