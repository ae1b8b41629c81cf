"""What recurs; see config/schedule.py. Every task may run twice."""

from celery import shared_task

from accounts.oauth import forget_idle_clients
from wire.clock import now


@shared_task(name="accounts.forget")
def forget() -> None:
    """Delete tokens of AI clients that have run out, and clients that nobody uses any more."""
    forget_idle_clients(at=now())
