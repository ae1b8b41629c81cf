"""What a worker asks before it begins, and tells of itself from then on."""

import sys
from typing import Any

from celery.signals import celeryd_after_setup, setup_logging, worker_ready
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from files.storage import require_suitable_store
from jobs.task_log import TaskLog
from web.telemetry.metrics_server import serve_metrics
from web.telemetry.process import start_telemetry
from wire.telemetry.process_metrics import ProcessSampler

ROLES = {"processing": "reader", "archives": "builder", "deliveries": "worker", "celery": "worker"}  # by queue


@setup_logging.connect
def keep_log_settings(**_: Any) -> None:
    """Celery makes none of its own where somebody listens: they are Django's (web/telemetry/logs.py)."""


@celeryd_after_setup.connect
def begin_to_tell(instance: Any, **_: Any) -> None:
    """Celery would log an error of a signal and go on; it heeds an exit."""
    try:
        start_telemetry(find_role(instance.app))
        require_suitable_store()
    except ImproperlyConfigured as fault:
        sys.exit(str(fault))


@worker_ready.connect
def begin_to_count(sender: Any, **_: Any) -> None:
    sender.app.log.redirect_stdouts(sender.controller.redirect_stdouts_level)  # as lines of the log, as Celery does
    sampler = ProcessSampler(find_role(sender.app))
    TaskLog(sampler, quiet=sender.app.conf.beat_schedule.keys()).listen()
    sampler.start(threads=sender.controller.concurrency)
    if settings.METRICS_LISTEN:
        serve_metrics(settings.METRICS_LISTEN)


def find_role(app: Any) -> str:
    """What a worker is there for; one of several queues by the slowest of them."""
    queues = app.amqp.queues.consume_from
    return next((role for queue, role in ROLES.items() if queue in queues), "worker")
