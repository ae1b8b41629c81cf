"""`./ids manage export_trail > trail.csv`: the trail as CSV, or as JSON lines with `--format jsonl`.

With `--month 2026-01 --into DIR` one month with its seals, as files that are verified once they are written.
"""

import csv
import json
from argparse import ArgumentParser, ArgumentTypeError
from datetime import datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.trail.exports import PartRefused, export_file, write_part
from overview.export import COLUMNS, export_trail, list_kinds
from overview.trail_parts import find_parts, parse_part
from wire.fields import parse_timestamp
from wire.spreadsheets import to_cells


class Command(BaseCommand):
    help = "Writes every change that the trail holds to the standard output, the oldest first."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--format", choices=("csv", "jsonl"), default="csv")
        parser.add_argument("--since", type=parse_moment, help="a time with Z or an offset, inclusive")
        parser.add_argument("--until", type=parse_moment, help="a time with Z or an offset, exclusive")
        parser.add_argument("--kind", action="append", choices=list_kinds(), help="may be repeated; else all kinds")
        parser.add_argument("--month", type=parse_part, metavar="2026-01", help="this month with its seals, into files")
        parser.add_argument("--into", type=Path, metavar="DIR", help="the folder for the files of a month")

    def handle(self, **options: Any) -> None:
        if options["month"] or options["into"]:
            self.write_month(options["month"], options["into"])
        else:
            self.write_rows(options)

    def write_rows(self, options: dict[str, Any]) -> None:
        kinds = set(options["kind"]) if options["kind"] else None
        rows = export_trail(since=options["since"], until=options["until"], kinds=kinds)
        if options["format"] == "jsonl":
            for row in rows:
                self.stdout.write(json.dumps(row, ensure_ascii=False))
            return
        writer = csv.DictWriter(self.stdout, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow(to_cells(row | {"changes": json.dumps(row["changes"], ensure_ascii=False)}))

    def write_month(self, month: str | None, folder: Path | None) -> None:
        if month is None or folder is None:
            raise CommandError("--month and --into go together.", returncode=2)
        try:
            for part in find_parts(month):
                written = write_part(part, folder)
                self.stdout.write(f"{export_file(part, folder).name}: {written.rows:,} rows, SHA-256 {written.sha256}")
        except (PartRefused, OSError) as problem:
            raise CommandError(str(problem)) from None


def parse_moment(text: str) -> datetime:
    try:
        return parse_timestamp(text)
    except Exception:
        raise ArgumentTypeError(f"{text} is no time such as 2026-01-31T00:00:00Z") from None
