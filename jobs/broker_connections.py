"""Connections to the broker that come back soon after it does, however long it was away, and miss nothing of it."""

from typing import Any

from celery.app.amqp import AMQP
from kombu.connection import Connection
from kombu.transport import get_transport_cls

RETRY_SECONDS = 2  # Celery's own pauses grow to 30, during which a backlog waits for nothing
STEADY_TRANSPORT = "jobs.broker_transport:SteadyTransport"


class SteadyConnection(Connection):
    """Asks for its broker at an even pace."""

    def ensure_connection(self, *args: Any, **options: Any) -> Connection:
        """kombu's, whose callers in Celery name no pauses."""
        return super().ensure_connection(*args, **{"interval_max": RETRY_SECONDS, **options})

    def get_transport_cls(self) -> type[Any]:
        is_steady = self.transport_cls in ("redis", "rediss")
        known = get_transport_cls(STEADY_TRANSPORT) if is_steady else super().get_transport_cls()
        assert isinstance(known, type)
        return known


class SteadyAMQP(AMQP):
    """Makes every connection of an app, of its workers and of its scheduler, a steady one."""

    Connection = SteadyConnection
