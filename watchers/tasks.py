"""What recurs; see config/schedule.py. Every task may run twice."""

from celery import shared_task

from jobs.quiet_scheduler import only_where
from watchers import enrolment_codes, events, folder_alerts, liveness, partitions
from watchers.models import Watcher
from wire.clock import now

WORKER_STARTED_AT = now()  # the worker starts with the service


@shared_task(name="watchers.sweep")
@only_where(lambda at: Watcher.objects.exists())
def announce_liveness() -> None:
    """Announce watchers that went offline or came back online, and those that are online but see no files."""
    liveness.announce_transitions(at=now(), listening_since=WORKER_STARTED_AT)
    folder_alerts.announce_blind_watchers(at=now())


@shared_task(name="watchers.ensure_days")
def ensure_heartbeat_partitions() -> None:
    partitions.ensure_partitions(at=now())


@shared_task(name="watchers.forget")
def delete_old_events_and_heartbeats() -> None:
    """Delete events, heartbeats and enrolment codes that are past their time; thin the heartbeats of past days."""
    events.delete_old_events(at=now())
    partitions.drop_old_partitions(at=now())
    enrolment_codes.forget_ended_codes(at=now())
    partitions.thin_old_partitions(at=now())  # last: a backup may refuse it the lock, and the next hour has another
