"""The scheduler rings for what waits, and for what it cannot tell; an idle service is left alone."""

from datetime import timedelta
from time import sleep

import pytest
from celery.beat import ScheduleEntry
from django.db import DatabaseError

import archives.tasks
import changes.tasks
import files.tasks  # noqa: F401 (it registers them)
import notifications.tasks
import processing.tasks
import watchers.tasks  # noqa: F401
from accounts.callers import Caller
from changes.webhooks.catalogue import WebhookSettings, add_webhook
from changes.webhooks.fan_out import fan_out_changes
from changes.webhooks.models import Webhook
from config.celery import app
from config.schedule import BEAT_SCHEDULE
from files.models import Recall
from jobs import quiet_scheduler
from jobs.quiet_scheduler import QuietScheduler
from notifications.models import EmailDelivery
from tests.changes.test_log import add
from tests.factories import make_file, make_user, make_watcher
from tests.notifications.test_constraints import make_notification
from wire.clock import now

SEND = changes.tasks.send_changes.name
ASKED = {
    "archives.sweep": archives.tasks,
    "processing.sweep": processing.tasks,
    "notifications.sweep": notifications.tasks,
    "notifications.sweep_chat": notifications.tasks,
    "notifications.sweep_email": notifications.tasks,
}

IDLE = ["files.bring_back", "files.scrub", "notifications.sweep_digests", "watchers.sweep"]


@pytest.fixture
def scheduler(tmp_path, monkeypatch):
    """It closes no connection: the test's own transaction is in it."""
    monkeypatch.setattr(quiet_scheduler, "close_old_connections", lambda: None)
    return QuietScheduler(app=app, schedule_filename=str(tmp_path / "notes"), lazy=True)


def rung(scheduler, monkeypatch, task):
    sent = []
    monkeypatch.setattr(QuietScheduler, "apply_async", lambda self, entry, **_: sent.append(entry.task))
    scheduler.apply_entry(ScheduleEntry(name=task, task=task, schedule=1, app=app))
    return sent == [task]


@pytest.mark.django_db
@pytest.mark.parametrize("task", [*ASKED, *IDLE, SEND])
def test_nobody_rings_where_nothing_waits(scheduler, monkeypatch, task):
    fan_out_changes(at=now())

    assert not rung(scheduler, monkeypatch, task)


def test_what_runs_often_is_asked_first():
    often = {name for name, entry in BEAT_SCHEDULE.items() if entry["schedule"] <= 60}

    assert often == {*ASKED, SEND, *IDLE, "accounts.seal_trail"}
    assert all(hasattr(app.tasks[name].run, quiet_scheduler.QUESTION) for name in often - {"accounts.seal_trail"})


@pytest.mark.parametrize(("task", "module"), ASKED.items())
def test_the_question_is_about_the_jobs_that_the_sweep_looks_for(monkeypatch, task, module):
    asked, swept = [], []
    monkeypatch.setattr(module, "has_abandoned_jobs", lambda queue, at: asked.append(queue.task) or True)
    monkeypatch.setattr(module, "enqueue_abandoned_jobs", lambda queue, at: swept.append(queue.task))
    monkeypatch.setattr("processing.shares.settings.READINGS_PER_INSTRUMENT", 0)

    assert app.tasks[task].run.has_work(now())
    app.tasks[task].run()

    assert asked == swept
    assert len(asked) == 1


@pytest.mark.django_db
def test_a_change_rings_until_it_is_sent(scheduler, monkeypatch):
    add()
    assert rung(scheduler, monkeypatch, SEND)

    fan_out_changes(at=now())

    assert not rung(scheduler, monkeypatch, SEND)


@pytest.mark.django_db
def test_a_receiver_that_is_due_rings(scheduler, monkeypatch):
    receiver = add_webhook(WebhookSettings(url="https://lab.example/hook"), by=Caller(), at=now()).webhook
    fan_out_changes(at=now())
    Webhook.objects.filter(pk=receiver.pk).update(due_at=now() - timedelta(seconds=1))

    assert rung(scheduler, monkeypatch, SEND)


@pytest.mark.django_db
def test_a_watcher_rings_for_the_sweep_of_watchers(scheduler, monkeypatch):
    make_watcher()

    assert rung(scheduler, monkeypatch, "watchers.sweep")


@pytest.mark.django_db
def test_a_file_rings_for_the_scrub(scheduler, monkeypatch):
    make_file()

    assert rung(scheduler, monkeypatch, "files.scrub")


@pytest.mark.django_db
def test_mail_that_waits_for_its_digest_rings(scheduler, monkeypatch):
    EmailDelivery.objects.create(notification=make_notification(), is_daily=True)

    assert rung(scheduler, monkeypatch, "notifications.sweep_digests")


@pytest.mark.django_db
def test_cold_files_asked_for_ring(scheduler, monkeypatch):
    file = make_file()
    Recall.objects.create(run=file.run, file=file, requested_by=make_user(), requested_at=now())

    assert rung(scheduler, monkeypatch, "files.bring_back")


@pytest.mark.parametrize("task", ["accounts.seal_trail", "of.another.version"])
def test_what_has_no_question_is_rung_for(scheduler, monkeypatch, task):
    assert rung(scheduler, monkeypatch, task)


def test_where_the_database_is_away_it_rings(scheduler, monkeypatch):
    def fail(at):
        raise DatabaseError("away")

    monkeypatch.setattr(app.tasks["archives.sweep"].run, quiet_scheduler.QUESTION, fail)

    assert rung(scheduler, monkeypatch, "archives.sweep")


def test_the_scheduler_sleeps_until_something_is_due(scheduler, monkeypatch):
    rung_for = []
    monkeypatch.setattr(QuietScheduler, "apply_entry", lambda self, entry, **_: rung_for.append(entry.task))
    monkeypatch.setattr(QuietScheduler, "producer", None)
    scheduler.setup_schedule()
    scheduler.schedule.clear()
    scheduler.schedule["sweep"] = ScheduleEntry(name="sweep", task="watchers.sweep", schedule=0.1, app=app)
    looks = 0

    while not rung_for:
        looks += 1
        sleep(max(0, scheduler.tick()))
    scheduler.close()

    assert looks <= 5
