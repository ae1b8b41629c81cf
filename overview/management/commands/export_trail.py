"""`./ids manage export_trail > trail.csv`: the trail as CSV, or as JSON lines with `--format jsonl`."""

import csv
import json
from argparse import ArgumentParser, ArgumentTypeError
from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand

from overview.export import COLUMNS, export_trail, list_kinds
from wire.fields import parse_timestamp
from wire.spreadsheets import to_cells


class Command(BaseCommand):
    help = "Writes every change that the trail holds to the standard output, the oldest first."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--format", choices=("csv", "jsonl"), default="csv")
        parser.add_argument("--since", type=parse_moment, help="a time with Z or an offset, inclusive")
        parser.add_argument("--until", type=parse_moment, help="a time with Z or an offset, exclusive")
        parser.add_argument("--kind", action="append", choices=list_kinds(), help="may be repeated; else all kinds")

    def handle(self, **options: Any) -> None:
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


def parse_moment(text: str) -> datetime:
    try:
        return parse_timestamp(text)
    except Exception:
        raise ArgumentTypeError(f"{text} is no time such as 2026-01-31T00:00:00Z") from None
