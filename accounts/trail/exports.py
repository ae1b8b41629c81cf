"""Writing a month of the trail to files, each row with its seal, and taking away a month that was written so.

A line is {"id", "row", "previous", "sha256"}; `row` is the text that was sealed, so that a file proves itself without
the database: sha256 is SHA-256(previous ‖ SHA-256(row)), as docs/trail.md says of a link.
"""

import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.db import connection, transaction

from accounts.trail.months import OTHER, TrailPart
from accounts.trail.rows import list_trail_models
from accounts.trail.seal_models import TrailDetachment
from accounts.trail.seal_sql import list_part_rows
from accounts.trail.sealing import compute_link
from accounts.trail.verification import Fault, TrailFault

MONTH = re.compile(r"(\d{4})(\d{2})$")


class PartRefused(Exception):
    """Why a part of the trail is not written, or not taken away."""


@dataclass(frozen=True)
class WrittenPart:
    """What a file holds: so many rows with ids between these two, and its SHA-256."""

    rows: int
    first_id: int
    last_id: int
    sha256: str


def export_file(part: TrailPart, folder: Path) -> Path:
    return folder / _name_file(part.kind, part.name)


def _name_file(kind: str, part: str) -> str:
    return f"trail-{kind}-{part}.jsonl"


def write_part(part: TrailPart, folder: Path) -> WrittenPart:
    """Write a part whole or not at all, and read it again from the disk. Raises PartRefused, OSError."""
    file = export_file(part, folder)
    folder.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_suffix(f".{uuid4().hex}.partial")
    try:
        with unfinished.open("xb") as lines:
            lines.writelines(_list_lines(part))
            lines.flush()
            os.fsync(lines.fileno())
        written = read_export(unfinished)
        unfinished.replace(file)
        return written
    finally:
        unfinished.unlink(missing_ok=True)


def read_export(file: Path) -> WrittenPart:
    """What a file holds, every line verified. Raises PartRefused where one is not what was sealed."""
    digest, ids = sha256(), (0, 0, 0)
    with file.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            digest.update(line)
            try:
                row = json.loads(line)
                previous, seal = bytes.fromhex(row["previous"]), bytes.fromhex(row["sha256"])
                is_sealed = compute_link(previous, sha256(row["row"].encode()).digest()) == seal
                ids = (number, ids[1] or int(row["id"]), int(row["id"]))
            except (ValueError, KeyError, TypeError, AttributeError):
                is_sealed = False
            if not is_sealed:
                raise PartRefused(f"{file.name}, line {number}: it is not what was sealed.")
    return WrittenPart(*ids, digest.hexdigest())


@transaction.atomic
def detach_part(part: TrailPart, folder: Path, *, drops: bool, at: datetime) -> WrittenPart:
    """Take a part out of the trail whose file in `folder` has every row of it; its seals stay.

    The rows stay in a table of their own unless `drops`. Needs the tables' owner. Raises PartRefused.
    """
    if part.name == OTHER or part.until is None or part.until > at:
        raise PartRefused(f"{part.kind} {part.name} is not over yet.")
    with connection.cursor() as cursor:
        cursor.execute(f'LOCK TABLE "{part.table}", "{part.partition}" IN ACCESS EXCLUSIVE MODE')
        written = _compare_with_export(part, folder)
        TrailDetachment.objects.create(
            kind=part.kind,
            part=part.name,
            rows_count=written.rows,
            first_id=written.first_id,
            last_id=written.last_id,
            file_sha256=bytes.fromhex(written.sha256),
            detached_at=at,
        )
        cursor.execute(f'ALTER TABLE "{part.table}" DETACH PARTITION "{part.partition}"')
        if drops:
            cursor.execute(f'DROP TABLE "{part.partition}"')
    return written


def verify_exports(folder: Path, *, tell: Callable[[int], object] = lambda count: None) -> Iterator[TrailFault]:
    """Files of what was taken away against what was noted then; `tell` hears of each that was there."""
    for gone in TrailDetachment.objects.order_by("kind", "part"):
        file = folder / _name_file(gone.kind, gone.part)
        try:
            found = read_export(file)
        except OSError as error:
            yield TrailFault(Fault.REMOVED, gone.kind, gone.first_id, f"{file.name}: {error.strerror}")
            continue
        except PartRefused as refused:
            yield TrailFault(Fault.CHANGED, gone.kind, gone.first_id, str(refused))
        else:
            if found.sha256 != bytes(gone.file_sha256).hex():
                told = f"{file.name} is not the file that was written when these rows were taken away"
                yield TrailFault(Fault.CHANGED, gone.kind, gone.first_id, told)
        tell(1)


def list_detached_files() -> list[dict[str, Any]]:
    """What was taken away, part by part: {"file", "rows", "sha256"} of the file that holds it now."""
    parts = TrailDetachment.objects.filter(rows_count__gt=0).order_by("kind", "part")
    return [
        {"file": _name_file(one.kind, one.part), "rows": one.rows_count, "sha256": bytes(one.file_sha256).hex()}
        for one in parts
    ]


def list_detached_months() -> list[str]:
    """Of which months rows were taken away, "2026-01"; "before 2026-02" of what was there when months began."""
    parts = TrailDetachment.objects.filter(rows_count__gt=0).order_by("part").values_list("part", flat=True).distinct()
    return sorted(MONTH.sub(r"\1-\2", part).replace("_", " ") for part in parts)


def _compare_with_export(part: TrailPart, folder: Path) -> WrittenPart:
    try:
        written = read_export(export_file(part, folder))
    except OSError as error:
        raise PartRefused(f"{export_file(part, folder).name}: {error.strerror}. Write it first.") from None
    digest = sha256()
    for line in _list_lines(part):
        digest.update(line)
    if digest.hexdigest() != written.sha256:
        raise PartRefused(f"{export_file(part, folder).name} does not hold the rows of today. Write it anew.")
    return written


def _list_lines(part: TrailPart) -> Iterator[bytes]:
    """Always the same for the same rows. Raises PartRefused for a row whose seal is missing or another's."""
    trail = next(one for one in list_trail_models() if one._meta.db_table == part.table)
    for row_id, text, previous, seal in list_part_rows(trail, part.partition):
        if seal is None or previous is None:
            raise PartRefused(f"{part.kind} {row_id} waits for its seal.")
        if compute_link(bytes(previous), sha256(text.encode()).digest()) != bytes(seal):
            raise PartRefused(f"{part.kind} {row_id} is not what was sealed: ./ids manage verify_trail says more.")
        told = {"id": row_id, "row": text, "previous": bytes(previous).hex(), "sha256": bytes(seal).hex()}
        yield json.dumps(told, ensure_ascii=False).encode() + b"\n"
