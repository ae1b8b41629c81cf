"""What a command line says of a worker."""

from jobs.worker import WORKER_KINDS, read_options


def served_queues(command):
    """Of the worker that it starts; nothing where it starts something else."""
    if "jobs.worker" not in command:
        return ()
    asked = read_options(list(command[command.index("jobs.worker") + 1 :]))
    return WORKER_KINDS[asked.kind].queues
