"""`./ids manage move_cold`: raw files whose time has come go to the cold store now."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from files.storage import cold_store
from instruments.management.instrument_argument import read_instrument_id
from instruments.retention_rules import COLD_RULE
from retention.cooling import cool_due, list_cooling_instruments
from retention.preview import count_cooling
from retention.rules import NO_COLD_STORE
from wire.clock import now
from wire.errors import ServiceError


class Command(BaseCommand):
    help = f"Move what {COLD_RULE} says to the cold store. It can be stopped at any moment and started again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--instrument", metavar="ID", help="of this instrument alone")
        parser.add_argument("--dry-run", action="store_true", help="only say what would move")

    def handle(self, *args: Any, **options: Any) -> None:
        if cold_store() is None:
            raise CommandError(NO_COLD_STORE)
        name = read_instrument_id(options["instrument"]) or ""
        instruments = list_cooling_instruments(name)
        if options["dry_run"]:
            for instrument in instruments:
                due = count_cooling(instrument, at=now())
                self.stdout.write(f"{instrument.pk}: {due.runs:,} runs, {due.files:,} files, {due.bytes:,} bytes")
            return
        try:
            done = [cool_due(clock=now, goes_on=lambda: True, instrument_id=one.pk) for one in instruments]
        except ServiceError as problem:
            raise CommandError(problem.message) from None
        files, size = sum(one.files for one in done), sum(one.bytes for one in done)
        self.stdout.write(f"{files:,} files are cold now, {size:,} bytes")
