"""`python -m jobs.worker -A config.celery KIND -n NAME`: a worker of the service, one of WORKER_KINDS.

Celery's own command (`celery -A config.celery worker`) works as well. It takes 7 MB more, for what it asks people with.
"""

import sys
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass

from celery.app.utils import find_app
from celery.utils.nodenames import default_nodename, host_format


@dataclass(frozen=True)
class WorkerKind:
    queues: tuple[str, ...]
    threads: int


WORKER_KINDS = {
    "worker": WorkerKind(("celery", "deliveries"), threads=2),  # deliveries and sweeps, which must not wait
    "builder": WorkerKind(("archives",), threads=2),
    "reader": WorkerKind(("processing",), threads=3),
    # Where memory is little: one file at a time beside an archive (docs/operations.md, Memory).
    "small-builder": WorkerKind(("archives", "processing"), threads=2),
}


def main() -> None:
    asked = read_options(sys.argv[1:])
    kind = WORKER_KINDS[asked.kind]
    worker = find_app(asked.app).Worker(
        hostname=host_format(default_nodename(asked.name)),
        pool="threads",
        concurrency=asked.threads or kind.threads,
        queues=kind.queues,
        quiet=True,  # no banner
        loglevel="INFO",
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
        schedule_in_thread=asked.schedule,
    )
    worker.start()
    sys.exit(worker.exitcode)


def read_options(words: list[str]) -> Namespace:
    parser = ArgumentParser("python -m jobs.worker", description="Does the tasks of one kind.")
    parser.add_argument("-A", "--app", required=True, metavar="MODULE", help="that has the Celery app")
    parser.add_argument("kind", choices=WORKER_KINDS)
    parser.add_argument("-n", "--name", help="among all workers; %%h is the machine's name")
    parser.add_argument("-c", "--threads", type=int, help="tasks at once, instead of what is usual for the kind")
    parser.add_argument("--schedule", metavar="FILE", help="schedule as well, with notes in this file")
    return parser.parse_args(words)


if __name__ == "__main__":
    main()
