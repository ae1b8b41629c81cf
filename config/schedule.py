"""What runs when, and in which queue: deliveries and sweeps never wait behind archives or processing."""

from typing import Any

QUEUE_NAMES = ("celery", "deliveries", "archives", "processing")
TASK_ROUTES = {
    "archives.build": {"queue": "archives"},
    "files.read_back": {"queue": "archives"},
    "files.bring_back": {"queue": "archives"},
    "files.share_object": {"queue": "archives"},
    "files.scrub": {"queue": "archives"},
    "retention.purge": {"queue": "archives"},
    "retention.cool": {"queue": "archives"},
    "processing.process": {"queue": "processing"},
    "notifications.*": {"queue": "deliveries"},
    "changes.*": {"queue": "deliveries"},
}
SECONDS, MINUTES, HOURS = 1.0, 60.0, 3600.0


def schedule_every(task: str, seconds: float) -> dict[str, Any]:
    """A tick that nobody took before the next one is dropped: after an outage one sweep is enough."""
    return {"task": task, "schedule": seconds, "options": {"expires": seconds}}


BEAT_SCHEDULE = {
    entry["task"]: entry
    for entry in (
        schedule_every("accounts.forget", 6 * HOURS),
        schedule_every("accounts.seal_trail", 1 * MINUTES),
        schedule_every("accounts.add_trail_months", 12 * HOURS),
        schedule_every("files.sweep", 6 * HOURS),
        schedule_every("files.count_stored", 1 * HOURS),
        schedule_every("files.scrub", 1 * MINUTES),
        schedule_every("files.bring_back", 1 * MINUTES),
        schedule_every("archives.sweep", 5 * SECONDS),
        schedule_every("archives.forget", 1 * HOURS),
        schedule_every("retention.purge", 10 * MINUTES),
        schedule_every("retention.cool", 5 * MINUTES),
        schedule_every("processing.sweep", 5 * SECONDS),
        schedule_every("watchers.sweep", 15 * SECONDS),
        schedule_every("watchers.ensure_days", 1 * HOURS),
        schedule_every("watchers.forget", 1 * HOURS),
        schedule_every("notifications.sweep", 5 * SECONDS),
        schedule_every("notifications.sweep_chat", 10 * SECONDS),
        schedule_every("notifications.sweep_email", 10 * SECONDS),
        schedule_every("notifications.sweep_digests", 1 * MINUTES),
        schedule_every("notifications.warn", 1 * HOURS),
        schedule_every("notifications.forget", 1 * HOURS),
        schedule_every("changes.send", 1 * SECONDS),
        schedule_every("changes.forget", 1 * HOURS),
        schedule_every("feedback.sync", 10 * MINUTES),
        schedule_every("overview.measure", 10 * MINUTES),
        schedule_every("overview.measure_space", 1 * HOURS),
    )
}
