"""`./ids manage verify_trail`: is every row of the trail what was sealed, and is none gone?"""

import json
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from accounts.trail.exports import verify_exports
from accounts.trail.seal_models import TrailLink
from accounts.trail.sealing import Head
from accounts.trail.verification import (
    Extent,
    TrailFault,
    count_waiting,
    find_extent,
    list_heads,
    parse_heads,
    verify_heads,
    verify_rows,
)
from operations.progress import Progress

EXIT_ALTERED = 3
MAX_LINES, MAX_WAITING = 20, 1_000
EPILOG = """exit codes: 0 the trail is what was sealed; 1 it could not be read to its end; 2 wrong arguments;
3 rows were changed, removed or slipped in, or a head differs."""


class Command(BaseCommand):
    help = "Reads the trail along its chains and names what was changed, removed or slipped in, the first one first."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.epilog = EPILOG
        parser.add_argument("--since", type=parse_day, metavar="DAY", help="only days (UTC) from this one on")
        parser.add_argument("--heads", type=Path, metavar="FILE", help="compare with heads that were kept elsewhere")
        parser.add_argument("--write-heads", type=Path, metavar="FILE", help="append today's heads, if all is well")
        parser.add_argument("--exports", type=Path, metavar="DIR", help="compare files of months that were taken away")
        parser.add_argument("--json", action="store_true", help="one JSON object a line, the last one the summary")

    def handle(self, **options: Any) -> None:
        self.as_json, self.rows, self.files, faults = options["json"], 0, 0, 0
        kept = read_heads(options["heads"]) if options["heads"] else []
        if (exports := options["exports"]) and not exports.is_dir():
            raise CommandError(f"There is no folder {exports}.", returncode=2)
        try:
            heads, extent = list_heads(), find_extent(since=options["since"])
            for fault in self.find_faults(extent, kept, exports=exports):
                faults += 1
                self.report_fault(fault, number=faults)
            waiting = count_waiting(limit=MAX_WAITING)
        except (DatabaseError, KeyboardInterrupt) as problem:
            raise CommandError(f"Not read to the end: {str(problem).strip() or 'stopped.'}") from None
        compared = {"heads": len(kept), "files": self.files}
        self.report_summary(faults, waiting=waiting, compared=compared)
        if faults:
            raise CommandError(f"{faults:,} differences: the trail was altered.", returncode=EXIT_ALTERED)
        if options["write_heads"]:
            append_heads(options["write_heads"], heads)

    def find_faults(self, extent: Extent, kept: list[Head], *, exports: Path | None) -> Iterator[TrailFault]:
        total = TrailLink.objects.filter(pk__gt=extent.after).count() if not self.as_json else None
        with Progress("rows", total=total) as progress:
            yield from verify_rows(extent, tell=progress.add)
            self.rows = progress.done
        yield from verify_heads(kept)
        if exports is not None:
            yield from verify_exports(exports, tell=self.count_files)

    def count_files(self, count: int) -> None:
        self.files += count

    def report_fault(self, fault: TrailFault, *, number: int) -> None:
        if self.as_json:
            self.stdout.write(json.dumps(asdict(fault)))
        elif number <= MAX_LINES:
            self.stdout.write(f"{fault.fault}  {fault.kind} {fault.row_id}: {fault.told}")
        elif number == MAX_LINES + 1:
            self.stdout.write("…  (--json lists all)")

    def report_summary(self, faults: int, *, waiting: int, compared: Mapping[str, int]) -> None:
        if self.as_json:
            counts = {"rows": self.rows, "faults": faults, "waiting": waiting}
            counts |= {f"{what}_compared": count for what, count in compared.items()}
            self.stdout.write(json.dumps({"fault": "summary", **counts}))
            return
        many = f"{waiting:,} or more" if waiting == MAX_WAITING else f"{waiting:,}"
        beside = "".join(f", {count:,} {what} compared" for what, count in compared.items() if count)
        self.stdout.write(f"{self.rows:,} rows read, {faults:,} differences{beside}; {many} wait for their seal")


def parse_day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"{text} is no day such as 2026-01-31") from None


def read_heads(file: Path) -> list[Head]:
    try:
        return parse_heads(file.read_text().splitlines())
    except (OSError, ValueError) as error:
        raise CommandError(f"{file} holds no heads: {error}", returncode=2) from None


def append_heads(file: Path, heads: list[Head]) -> None:
    try:
        with file.open("a") as lines:
            lines.writelines(f"{head.to_json()}\n" for head in heads)
    except OSError as error:
        raise CommandError(f"The heads were not written: {error}") from None
