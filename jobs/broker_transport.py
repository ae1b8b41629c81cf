"""How a worker holds messages of the broker. Loaded by the first connection, as its library brings others along."""

from collections.abc import Iterator
from contextlib import contextmanager

from kombu.transport import redis


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
