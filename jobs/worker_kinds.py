"""The kinds of workers there are: which queues each serves, and how many tasks at once."""

from dataclasses import dataclass


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
