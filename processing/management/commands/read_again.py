"""`./ids manage read_again`: files that an older version of their reader has read, once more, in the background."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from instruments.models import Instrument
from processing.outdated import ReadAgain, enqueue_outdated, list_outdated_readers
from processing.registry import get_registry
from wire.clock import now


class Command(BaseCommand):
    help = "Read files again that an older version of their reader has read, behind all that arrives meanwhile."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--processor", metavar="NAME", help="only files that this reader has read")
        parser.add_argument(
            "--instrument", metavar="ID", help="all files of this instrument, whichever version read them"
        )
        parser.add_argument("--before", metavar="VERSION", help="only files that a version before this one has read")
        parser.add_argument("--dry-run", action="store_true", help="only count them")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["processor"] and options["processor"] not in get_registry().types:
            raise CommandError(f"There is no reader {options['processor']}.")
        if options["instrument"] and not Instrument.objects.filter(pk=options["instrument"]).exists():
            raise CommandError(f"There is no instrument {options['instrument']}.")
        only = ReadAgain(options["processor"], options["instrument"], options["before"])
        found = list_outdated_readers(only)
        for reader in found:
            self.stdout.write(
                f"{reader.processor} {reader.version}: {reader.files:,} files; it is {reader.current} now."
            )
        if not found and not only.is_whole:
            self.stdout.write("No file was read by an older version.")
        if options["dry_run"]:
            return
        for asked in enqueue_outdated(only, at=now()):
            self.stdout.write(f"{asked:,} files wait to be read again.")
