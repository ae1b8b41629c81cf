"""Compares what scripts were told with what the database and the store hold."""

import hashlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import psycopg

from operations.embedded.postgres import SERVICE, Postgres
from operations.embedded.sockets import choose_socket_directory
from tests.faults.load import Journal

Read = Callable[[str], bytes | None]


def differences(database: str, read: Read, *journals: Journal) -> list[str]:
    """What was acknowledged and is not there, was done twice, or lies in the store otherwise than its row says."""
    with psycopg.connect(database) as connection:
        rows = connection.execute("SELECT run_id, comment_count, file_count, total_size_bytes, id FROM runs_run")
        runs = {name: tuple(values) for name, *values in rows}
        noted = Counter(
            connection.execute(
                "SELECT run.run_id, body FROM runs_comment JOIN runs_run AS run ON run.id = runs_comment.run_id"
            ).fetchall()
        )
        files = connection.execute(
            "SELECT id, run_id, size_bytes, sha256, storage_key, status, uploaded_at FROM files_file"
        )
        stored = {row[0]: row[1:] for row in files}
    found = [f"{name} was acknowledged and is not there" for one in journals for name in one.runs - runs.keys()]
    for journal in journals:
        for name, bodies in journal.comments.items():
            found += [
                f"the comment {body!r} is there {noted[name, body]} times" for body in bodies if noted[name, body] != 1
            ]
        for file_id, sha256 in journal.files.items():
            row = stored.get(file_id)
            if row is None or row[5] is None or row[2] != sha256:
                found.append(f"file {file_id} was acknowledged and is {row}")
    found += [f"{body!r} was stored {times} times" for (_, body), times in noted.items() if times > 1]
    found += [f"{name} counts {kept[0]} comments" for name, kept in runs.items() if kept[0] != _of(noted, name)]
    for name, (_, count, size, run_id) in runs.items():
        own = [row for row in stored.values() if row[0] == run_id]
        if (count, size) != (len(own), sum(row[1] for row in own)):
            found.append(f"{name} counts {count} files of {size} bytes")
    return found + [difference for row in stored.values() if (difference := _unlike(row, read))]


def _of(noted: Counter[tuple[str, str]], name: str) -> int:
    return sum(times for (run, _), times in noted.items() if run == name)


def _unlike(row: tuple[object, ...], read: Read) -> str | None:
    _, size, sha256, key, status, uploaded_at = row
    if uploaded_at is None:
        return None
    data = read(str(key))
    if data is None:
        return f"{key} is {status} and not in the store"
    if (len(data), hashlib.sha256(data).hexdigest()) != (size, sha256):
        return f"{key} has {len(data)} other bytes in the store"
    return None


def on_disk(data: Path) -> Read:
    """Reads the local store behind the service's back."""

    def read(key: str) -> bytes | None:
        file = data / "objects" / f"{key}@" / "data"
        return file.read_bytes() if file.exists() else None

    return read


def embedded_database(data: Path) -> str:
    return Postgres(data=data, sockets=choose_socket_directory(data), log=data / "logs" / "postgres.log").url(SERVICE)
