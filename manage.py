#!/usr/bin/env python
"""Any Django command, against the service of IDS_DATA, running or not (`./ids manage …`)."""

import os
import secrets
import sys
from contextlib import AbstractContextManager, nullcontext

from django.core.management import execute_from_command_line
from django.db import ProgrammingError
from psycopg.errors import UndefinedColumn, UndefinedTable

import config.celery  # noqa: F401 (binds the tasks to their broker)
from operations.embedded.command import servers_for_command
from operations.embedded.errors import EmbeddedError
from wire.audit_context import audit_context, service_principal
from wire.kernel import forbid_inspection

# They change the schema, empty tables, or read and write all of them: the service's role may not.
OWNERS_COMMANDS = {"migrate", "prepare", "pgtrigger", "flush", "recount", "bench", "backup", "restore", "reconcile"}
OWNERS_COMMANDS |= {"detach_trail"}
NOT_PREPARED = (
    "The database is not prepared for this version: start the service once by ./ids serve, or run ./ids manage migrate."
)
READER_LEFT = 141  # as shells say it of a command that a closed pipe ended
# They ask neither the database nor the queue.
DESK_COMMANDS = {"process_file", "release_key", "screenshots"}


def main() -> None:
    forbid_inspection()
    try:
        with surroundings(sys.argv[1:2]):
            if is_for_owner(sys.argv[1:]):
                become_owner(sys.argv[1])
            with audit_context(service_principal(" ".join(["command", *sys.argv[1:2]]))):
                execute_from_command_line(sys.argv)
    except EmbeddedError as error:
        sys.exit(f"./ids manage: {error}")
    except ProgrammingError as error:
        if not isinstance(error.__cause__, UndefinedTable | UndefinedColumn):
            raise
        sys.exit(f"./ids manage: {NOT_PREPARED}")
    except BrokenPipeError:  # who reads, such as head, has enough; what is still held must not be told at the end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(READER_LEFT)


def is_for_owner(arguments: list[str]) -> bool:
    """A month of the trail is read from its own table, on which the service's role has no rights."""
    is_month = arguments[:1] == ["export_trail"] and any(one.startswith("--month") for one in arguments)
    return is_month or bool(set(arguments[:1]) & OWNERS_COMMANDS)


def become_owner(command: str) -> None:
    """The owner's address leads to PostgreSQL itself: what works for minutes in one session cannot share it."""
    if owner := os.environ.get("DATABASE_OWNER_URL"):
        os.environ["DATABASE_URL"] = owner
        os.environ.pop("DATABASE_POOLING", None)
    elif os.environ.get("DATABASE_POOLING") == "transaction":
        sys.exit(
            f"./ids manage: {command} needs PostgreSQL itself: set DATABASE_OWNER_URL to its address, not the pooler's."
        )


def surroundings(command: list[str]) -> AbstractContextManager[None]:
    if not set(command) & DESK_COMMANDS:
        return servers_for_command()
    os.environ.setdefault("SECRET_KEY", secrets.token_hex(32))  # it signs nothing that outlives the command
    return nullcontext()


if __name__ == "__main__":
    main()
