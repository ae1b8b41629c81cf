"""`./ids manage detach_trail --month 2026-01 --export DIR`: take a month out of the trail that was written to files."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.trail.exports import PartRefused, detach_part
from accounts.trail.months import list_parts
from overview.trail_parts import find_parts, parse_part
from wire.clock import now


class Command(BaseCommand):
    help = "Takes a month out of the trail, once its files are verified. Without --month: lists what there is."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--month", type=parse_part, metavar="2026-01")
        parser.add_argument("--export", type=Path, metavar="DIR", help="where export_trail wrote the month")
        parser.add_argument("--drop", action="store_true", help="drop the rows, not only set them aside")

    def handle(self, **options: Any) -> None:
        if options["month"] is None:
            for part in list_parts():
                self.stdout.write(f"{part.name}  {part.kind}")
            return
        if options["export"] is None:
            raise CommandError("--export is missing: the folder into which export_trail wrote the month.", returncode=2)
        try:
            for part in find_parts(options["month"]):
                written = detach_part(part, options["export"], drops=options["drop"], at=now())
                self.stdout.write(f"{part.kind} {part.name}: {written.rows:,} rows are no longer in the trail")
        except PartRefused as refused:
            raise CommandError(str(refused)) from None
