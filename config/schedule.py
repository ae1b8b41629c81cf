"""What runs when, and in which queue: deliveries and sweeps never wait behind archives or processing."""

from typing import Any

QUEUES = ("celery", "deliveries", "archives", "processing")
ROUTES = {
    "archives.build": {"queue": "archives"},
    "processing.process": {"queue": "processing"},
    "notifications.*": {"queue": "deliveries"},
}
SECONDS, MINUTES, HOURS = 1.0, 60.0, 3600.0


def every(task: str, seconds: float) -> dict[str, Any]:
    """A tick that nobody took before the next one is dropped: after an outage one sweep is enough."""
    return {"task": task, "schedule": seconds, "options": {"expires": seconds}}


SCHEDULE = {
    entry["task"]: entry
    for entry in (
        every("accounts.forget", 6 * HOURS),
        every("files.sweep", 6 * HOURS),
        every("archives.sweep", 5 * SECONDS),
        every("archives.forget", 1 * HOURS),
        every("processing.sweep", 5 * SECONDS),
        every("watchers.sweep", 15 * SECONDS),
        every("watchers.ensure_days", 1 * HOURS),
        every("watchers.forget", 1 * HOURS),
        every("notifications.sweep", 5 * SECONDS),
        every("notifications.sweep_chat", 10 * SECONDS),
        every("notifications.forget", 1 * HOURS),
        every("feedback.sync", 10 * MINUTES),
        every("overview.measure", 10 * MINUTES),
    )
}
