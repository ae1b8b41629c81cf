"""What recurs; see config/schedule.py. Every task may run twice."""

from celery import shared_task

from accounts.oauth import delete_idle_clients
from accounts.session_store import SessionStore
from wire.clock import now


@shared_task(name="accounts.forget")
def delete_what_ran_out() -> None:
    """Delete sessions and tokens of AI clients that have run out, and clients that nobody uses any more."""
    SessionStore.clear_expired()
    delete_idle_clients(at=now())
