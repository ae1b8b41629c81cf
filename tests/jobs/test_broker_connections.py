import pytest
from celery import current_app

from jobs.broker_connections import RETRY_SECONDS

TRIES = 20


class Enough(Exception):
    pass


def test_a_broker_long_away_is_asked_for_at_an_even_pace(monkeypatch):
    """Celery's pauses grow to half a minute: so long the backlog would wait once the broker is back."""
    pauses = []

    def note(_error, pause):
        pauses.append(pause)
        if len(pauses) == TRIES:
            raise Enough

    monkeypatch.setattr("kombu.utils.functional.sleep", lambda _: None)
    with current_app.connection_for_read("redis://127.0.0.1:1") as connection, pytest.raises(Enough):
        connection.ensure_connection(note)
    assert pauses == [RETRY_SECONDS] * TRIES


@pytest.mark.parametrize("say", ["ack", "reject"])
def test_a_worker_whose_word_the_broker_did_not_hear_takes_the_next_message(broker, say):
    """Both threads of one were silent for ever where the broker stood still just as they ended their tasks."""
    with broker.app.connection_for_read() as connection:
        channel, messages = connection.default_channel, []
        channel.basic_qos(prefetch_count=1)
        queue = broker.app.amqp.queues["archives"](channel)
        queue.declare()
        for number in range(2):
            connection.Producer().publish({"number": number}, routing_key=queue.name)
        with connection.Consumer(queue, callbacks=[lambda body, message: messages.append(message)]):
            connection.drain_events(timeout=30)
            assert not channel.qos.can_consume()
            broker.stop()
            with pytest.raises(connection.connection_errors):
                getattr(messages[0], say)()
            broker.go_on()
            connection.drain_events(timeout=30)

    assert [message.payload["number"] for message in messages] == [0, 1]
