"""`./ids manage export_everything DIR`: all that a lab owns, in files that need no service to be read."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from files.storage import whole_store
from operations.backup import database
from operations.backup.backup_directory import BackupError
from operations.leaving.bucket import Place, parse_place
from operations.leaving.exporting import export_everything
from operations.leaving.folder import LeavingError, find_faults
from wire.clock import now
from wire.errors import ServiceError
from wire.sizes import format_size

EXIT_INCOMPLETE, MAX_LINES = 3, 20
EPILOG = """exit codes: 0 the export is whole; 1 it is not finished; 2 wrong arguments; 3 it is finished, but bytes are
missing or (with --verify) files are not what was exported."""


class Command(BaseCommand):
    help = "Write every run as an RO-Crate, every table and the trail into a folder or bucket. Begin again to go on."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.epilog = EPILOG
        parser.add_argument(
            "place",
            type=parse_place,
            metavar="DIR",
            help="a folder or s3://bucket/prefix; empty, or of an export that was cut off",
        )
        parser.add_argument("--verify", action="store_true", help="read a finished export and compare it with its list")

    def handle(self, **options: Any) -> None:
        root = options["place"]
        try:
            if options["verify"]:
                self.verify(root)
            else:
                self.export(root)
        except (LeavingError, BackupError, ServiceError, OSError, DatabaseError) as problem:
            raise CommandError(str(problem).strip()) from None
        except KeyboardInterrupt:
            raise CommandError("Stopped; begin again to go on.") from None

    def export(self, root: Place) -> None:
        if isinstance(root, Path) and root.is_relative_to(settings.IDS_DATA):
            raise CommandError("DIR lies within the data directory, and would be lost with it.", returncode=2)
        if database.is_empty():
            raise CommandError(f"The service in {settings.IDS_DATA} was never started: is --data right?")
        done = export_everything(root, whole_store(), at=now())
        self.stdout.write(f"{done.runs:,} runs are in {root}; {done.kept:,} of them were there.")
        if rows := sum(one["rows"] for one in done.trail_elsewhere):
            told = f"{rows:,} rows of the trail were taken out of it before, and lie in files of their own"
            self.stdout.write(f"{told}: manifest.json names them, keep them beside this.")
        for line in done.told[:MAX_LINES]:
            self.stderr.write("  ".join(line))
        if not done.is_whole:
            raise CommandError("Bytes are missing: manifest.json names them.", returncode=EXIT_INCOMPLETE)
        if done.told:
            self.stdout.write(f"{len(done.told):,} runs changed meanwhile: manifest.json names them.")

    def verify(self, root: Place) -> None:
        pieces, size_bytes, faults = 0, 0, 0
        for one, fault in find_faults(root):
            pieces, size_bytes = pieces + 1, size_bytes + one.size_bytes
            if fault:
                faults += 1
                self.stderr.write(f"{fault}  {one.path}")
        if faults:
            raise CommandError(f"{faults:,} files are not what was exported.", returncode=EXIT_INCOMPLETE)
        self.stdout.write(f"{pieces:,} files, {format_size(size_bytes)}: all are what was exported.")
