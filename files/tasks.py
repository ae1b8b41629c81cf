"""What the files app does without being asked. Every task may run twice."""

from celery import shared_task

from files.leftovers import sweep_leftovers
from files.quotas import forget_old
from wire.clock import now


@shared_task(name="files.sweep")
def sweep() -> None:
    """Remove objects that no row names, uploads that were given up, and what was counted for quotas."""
    sweep_leftovers(at=now())
    forget_old(at=now())
