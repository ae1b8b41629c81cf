"""What waits to be read, in the database and in the queue, of a running service."""

import threading

import psycopg
import redis

from operations.embedded.sockets import choose_socket_directory
from operations.embedded.valkey import Valkey
from tests.faults.checker import embedded_database
from tests.service import Service

ON_THE_WAY = 6  # tasks that workers have taken from the queue and whose jobs they have not leased yet, or the reverse
WAITING = "SELECT count(*) FROM processing_processingjob WHERE state IN ('waiting', 'running')"


class QueueWatch:
    """Compares the queue with what waits, again and again, while it is entered."""

    def __init__(self, service: Service) -> None:
        sockets = choose_socket_directory(service.data)
        self.queue = redis.Redis.from_url(Valkey(data=service.data, sockets=sockets, log=service.data / "log").url)
        self.database = psycopg.connect(embedded_database(service.data), autocommit=True)
        self.seen: list[tuple[int, int]] = []
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self._work)

    @property
    def waiting(self) -> int:
        [(count,)] = self.database.execute(WAITING)
        return int(count)

    @property
    def longest_queue(self) -> int:
        return max(queued for queued, _ in self.seen)

    @property
    def excesses(self) -> list[tuple[int, int]]:
        """Moments at which the queue held a tenth more than what waited: tasks, jobs."""
        return [(queued, waiting) for queued, waiting in self.seen if queued > 1.1 * waiting + ON_THE_WAY]

    def _work(self) -> None:
        while not self.stopped.wait(0.2):
            before, queued = self.waiting, int(self.queue.llen("processing"))
            self.seen.append((queued, max(before, self.waiting)))  # jobs may come, or go, between two looks

    def __enter__(self) -> "QueueWatch":
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopped.set()
        self.thread.join()
        self.database.close()
