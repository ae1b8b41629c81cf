"""`./ids manage read_again`: files that an older version of their reader has read, or none knew, in the background."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from instruments.management.instrument_argument import read_instrument_id
from processing.outdated import ReadAgain, enqueue_outdated, list_outdated_readers, unread_jobs
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
        parser.add_argument("--unread", action="store_true", help="files that no reader knew when they came, instead")
        parser.add_argument("--dry-run", action="store_true", help="only count them")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["processor"] is not None and options["processor"] not in get_registry().types:
            raise CommandError(f"There is no reader {options['processor']}.")
        instrument = read_instrument_id(options["instrument"])
        if options["unread"] and (options["processor"] or options["before"]):
            raise CommandError("No reader has read the files of --unread: neither --processor nor --before fits.")
        only = ReadAgain(options["processor"], instrument, options["before"], options["unread"])
        if only.unread:
            self.stdout.write(f"{unread_jobs(only).count():,} files are kept that no reader knew.")
        else:
            self.list_outdated(only)
        if options["dry_run"]:
            return
        for asked in enqueue_outdated(only, at=now()):
            self.stdout.write(f"{asked:,} files wait to be read again.")

    def list_outdated(self, only: ReadAgain) -> None:
        found = list_outdated_readers(only)
        for reader in found:
            self.stdout.write(
                f"{reader.processor} {reader.version}: {reader.files:,} files; it is {reader.current} now."
            )
        if not found and not only.is_whole:
            self.stdout.write("No file was read by an older version.")
