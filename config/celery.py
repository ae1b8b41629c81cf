"""The Celery app. Whatever runs Django imports it: tasks would otherwise bind to an app that has no broker."""

import os
import sys
from typing import Any

from celery import Celery, Task
from celery.apps.worker import Worker
from celery.signals import beat_init, celeryd_after_setup, worker_init
from kombu.entity import Queue

from config.schedule import BEAT_SCHEDULE, QUEUE_NAMES, TASK_ROUTES
from jobs.broker_connections import SteadyAMQP
from jobs.scheduler_thread import SchedulerThread
from processing.confined.reader_walls import ReaderWallsMissing, find_missing_walls, require_reader_walls
from web.startup import UndeclaredAccess, require_declared_access_once
from wire.audit_context import audit_context, service_principal
from wire.kernel import forbid_inspection
from wire.telemetry.current_work import working_on

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
QUEUE_SETTINGS = {
    "beat_schedule": BEAT_SCHEDULE,
    "beat_scheduler": "jobs.quiet_scheduler:QuietScheduler",
    "task_acks_late": True,
    "task_default_queue": QUEUE_NAMES[0],
    "task_ignore_result": True,
    "task_publish_retry": False,
    "task_queues": [Queue(name) for name in QUEUE_NAMES],
    "task_routes": TASK_ROUTES,
    "worker_cancel_long_running_tasks_on_connection_loss": False,  # jobs hold leases; the row decides, not the broker
    "worker_hijack_root_logger": False,
    "worker_prefetch_multiplier": 1,
}


class AuditedTask(Task):
    """A task that says in the trail who it is."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        by = service_principal(f"task {self.name}")
        with audit_context(by, request_id=self.request.id), working_on(lambda: self.name):
            return self.run(*args, **kwargs)


app = Celery("ids", amqp=SteadyAMQP, task_cls=AuditedTask)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.update(QUEUE_SETTINGS)
app.steps["worker"].add(SchedulerThread)
app.autodiscover_tasks()


@worker_init.connect
@beat_init.connect
def refuse_to_start(**_: Any) -> None:
    """Celery would log an error of a signal and go on; it heeds an exit."""
    forbid_inspection()
    try:
        require_declared_access_once()
    except UndeclaredAccess as fault:
        sys.exit(str(fault))


@celeryd_after_setup.connect
def refuse_to_read_without_walls(instance: Worker, **_: Any) -> None:
    """Only what reads files needs walls around that; the queues of a worker are known by now."""
    if TASK_ROUTES["processing.process"]["queue"] not in instance.app.amqp.queues.consume_from:
        return
    try:
        require_reader_walls(find_missing_walls(), required=instance.app.conf.REQUIRE_READER_WALLS)
    except ReaderWallsMissing as missing:
        sys.exit(str(missing))
