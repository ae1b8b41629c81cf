"""Connections to the broker that come back soon after it does, however long it was away, and miss nothing of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from celery.app.amqp import AMQP
from kombu.connection import Connection
from kombu.transport import redis

RETRY_SECONDS = 2  # Celery's own pauses grow to 30, during which a backlog waits for nothing


class FreeingQoS(redis.QoS):
    """The messages a worker holds, of which it takes no more than it has threads.

    One whose acknowledgement fails counts no longer: kombu would keep its place for as long as the connection lasts,
    and a worker with all places kept asks for nothing, so that nothing shows it that its broker is back. The broker
    hands the message out once more, after the visibility timeout: every task may run twice.
    """

    def ack(self, delivery_tag: str) -> None:
        with self._freeing(delivery_tag):
            super().ack(delivery_tag)

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:
        with self._freeing(delivery_tag):
            super().reject(delivery_tag, requeue=requeue)

    @contextmanager
    def _freeing(self, delivery_tag: str) -> Iterator[None]:
        try:
            yield
        except self.channel.connection_errors:
            self._quick_ack(delivery_tag)
            raise


class SteadyChannel(redis.Channel):
    QoS = FreeingQoS


class SteadyTransport(redis.Transport):
    Channel = SteadyChannel


class SteadyConnection(Connection):
    """Asks for its broker at an even pace."""

    def ensure_connection(self, *args: Any, **options: Any) -> Connection:
        """kombu's, whose callers in Celery name no pauses."""
        return super().ensure_connection(*args, **{"interval_max": RETRY_SECONDS, **options})

    def get_transport_cls(self) -> type[Any]:
        known: type[Any] = super().get_transport_cls()
        return SteadyTransport if known is redis.Transport else known


class SteadyAMQP(AMQP):
    """Makes every connection of an app, of its workers and of its scheduler, a steady one."""

    Connection = SteadyConnection
