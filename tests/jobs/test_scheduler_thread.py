"""The scheduler within a worker, where one machine runs everything."""

from threading import Thread
from types import SimpleNamespace

from config.celery import app
from jobs.quiet_scheduler import QuietScheduler
from jobs.scheduler_thread import SchedulerThread
from jobs.worker import read_options
from operations.embedded.data_directory import DataDirectory
from operations.embedded.programs import make_worker_program


def test_the_worker_of_one_machine_schedules_in_a_thread(tmp_path):
    worker = SimpleNamespace(app=app)
    step = SchedulerThread(worker, schedule_in_thread=str(tmp_path / "notes"))

    scheduler = step.create(worker)

    assert step.enabled
    assert isinstance(scheduler, Thread)
    assert scheduler.daemon
    assert scheduler.service.schedule_filename == str(tmp_path / "notes")
    assert isinstance(scheduler.service.get_scheduler(lazy=True), QuietScheduler)


def test_a_scheduler_that_fails_ends_its_worker_which_begins_anew(tmp_path, monkeypatch):
    """A disk that was full for a moment: nobody would ring for what waits, ever after."""
    ended = []
    monkeypatch.setattr("jobs.scheduler_thread.end_worker", lambda: ended.append("worker"))
    worker = SimpleNamespace(app=app)
    step = SchedulerThread(worker, schedule_in_thread=str(tmp_path / "no" / "such" / "folder" / "notes"))

    scheduler = step.create(worker)
    scheduler.run()

    assert ended == ["worker"]


def test_any_other_worker_leaves_that_to_others():
    assert not SchedulerThread(SimpleNamespace(app=app)).enabled


def test_the_command_asks_for_it_by_an_option_that_workers_know(tmp_path):
    command = make_worker_program(DataDirectory(tmp_path)).command

    asked = read_options(list(command[2:]))  # behind -m and the module

    assert (asked.kind, asked.schedule) == ("worker", str(tmp_path / "beat-schedule"))
    assert SchedulerThread in app.steps["worker"]
