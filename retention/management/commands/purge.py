"""`./ids manage purge`: what rules of retention hold for goes now."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from files.removing.lock import RemovalOnHold
from instruments.management.instrument_argument import read_instrument_id
from retention.preview import preview_instrument
from retention.purging import list_instruments, purge_due
from wire.clock import now


class Command(BaseCommand):
    help = "Purge what the instruments' rules of retention say. It can be stopped at any moment and started again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--instrument", metavar="ID", help="of this instrument alone")
        parser.add_argument("--dry-run", action="store_true", help="only say what would go")

    def handle(self, *args: Any, **options: Any) -> None:
        name = read_instrument_id(options["instrument"]) or ""
        if options["dry_run"]:
            instruments = list_instruments(name)
            if not instruments:
                told = f"{name} has no rule" if name else "No instrument has a rule"
                self.stdout.write(f"{told} of retention.")
            for instrument in instruments:
                due = preview_instrument(instrument, at=now())
                self.stdout.write(f"{instrument.pk}: {due.runs:,} runs, {due.files:,} files, {due.bytes:,} bytes")
            return
        try:
            done = purge_due(clock=now, goes_on=lambda: True, instrument_id=name)
        except RemovalOnHold as hold:
            raise CommandError(hold.message) from None
        self.stdout.write(f"{done.files:,} files purged, {done.runs:,} deleted runs ended, {done.bytes:,} bytes freed")
