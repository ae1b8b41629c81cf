"""What the files app does without being asked. Every task may run twice."""

from celery import shared_task

from files.leftovers import sweep_leftovers
from wire.clock import now


@shared_task(name="files.sweep")
def sweep() -> None:
    """Remove objects that no row names and uploads that were given up."""
    sweep_leftovers(at=now())
