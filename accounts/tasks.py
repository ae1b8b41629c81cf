"""What recurs; see config/schedule.py. Every task may run twice."""

from celery import shared_task

from accounts.idempotency import forget_answers
from accounts.oauth.connections import delete_idle_clients
from accounts.sign_in.login_codes import forget_codes
from accounts.sign_in.session_store import SessionStore
from accounts.trail.months import add_months
from accounts.trail.sealing import seal_trail
from wire.clock import now


@shared_task(name="accounts.forget")
def delete_what_ran_out() -> None:
    """Delete sessions, tokens of AI clients, repeatable answers and codes of logins that have run out, and clients
    nobody uses."""
    forget_answers(at=now())
    forget_codes(at=now())
    SessionStore.clear_expired()
    delete_idle_clients(at=now())


@shared_task(name="accounts.seal_trail")
def seal_new_rows() -> None:
    """Seal what was added to the trail."""
    seal_trail()


@shared_task(name="accounts.add_trail_months")
def add_months_of_the_trail() -> None:
    """Make the partitions of the months to come."""
    add_months(at=now())
