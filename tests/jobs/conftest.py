import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from celery import Celery

from config.celery import QUEUE_SETTINGS
from jobs.broker import broker_url
from jobs.broker_connections import SteadyAMQP
from operations.embedded.valkey import Valkey


class Broker:
    """A Valkey of the test's own. Tasks are queued there, and nobody works on them."""

    def __init__(self, server: Valkey, app: Celery) -> None:
        self.server, self.app = server, app
        self.client = redis.Redis.from_url(server.url)

    def waiting(self, queue: str) -> int:
        return int(self.client.llen(queue))

    def lose(self, queue: str, *, tasks: int) -> None:
        for _ in range(tasks):
            assert self.client.rpop(queue)

    def stop(self) -> None:
        os.kill(self._pid(), signal.SIGSTOP)

    def go_on(self) -> None:
        os.kill(self._pid(), signal.SIGCONT)

    def _pid(self) -> int:
        assert self.server.child is not None
        return self.server.child.pid


@pytest.fixture
def broker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Broker]:
    server = Valkey(data=tmp_path, sockets=tmp_path, log=tmp_path / "valkey.log", durable=False)
    server.start()
    app = Celery("ids", set_as_current=False, amqp=SteadyAMQP)
    app.config_from_object("django.conf:settings", namespace="CELERY")
    app.conf.update(QUEUE_SETTINGS)
    app.conf.broker_url = broker_url(server.url)
    monkeypatch.setattr("jobs.task_queue.current_app", app)
    yield Broker(server, app)
    app.close()
    server.stop()
