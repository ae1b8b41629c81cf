"""`./ids manage import_everything DIR`: what `export_everything` wrote, into an empty service."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, ProgrammingError

from files.storage import object_store
from operations.leaving.bucket import Place, parse_place
from operations.leaving.comparing import Comparison, compare_everything
from operations.leaving.folder import LeavingError
from operations.leaving.importing import finish_import, import_everything
from wire.clock import now
from wire.errors import ServiceError
from wire.sizes import format_size

EXIT_DIFFERENT, MAX_LINES = 3, 20
EPILOG = """exit codes: 0 all is here and equal; 1 it is not finished, or was refused; 2 wrong arguments; 3 something is
not equal, or the export lacked bytes. People are inactive and have no password until an admin lets them in."""


class Command(BaseCommand):
    help = "Bring an export into an empty service and compare it. Begin again to go on."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.epilog = EPILOG
        parser.add_argument(
            "place",
            type=parse_place,
            metavar="DIR",
            help="what export_everything wrote: a folder or s3://bucket/prefix",
        )

    def handle(self, **options: Any) -> None:
        root = options["place"]
        try:
            done = import_everything(root, object_store(), at=now())
            self.stdout.write(
                f"{done.runs:,} runs are here, {format_size(done.size_bytes)} of files came now; "
                f"{done.kept:,} runs were here."
            )
            differing = self.compare(root)
            if not differing:
                finish_import(root, at=now())
        except ProgrammingError:  # of a database that no service was started on, which manage.py tells
            raise
        except (LeavingError, ServiceError, OSError, DatabaseError) as problem:
            raise CommandError(str(problem).strip()) from None
        except KeyboardInterrupt:
            raise CommandError("Stopped; begin again to go on.") from None
        if differing:
            raise CommandError(f"{differing:,} differences from the export.", returncode=EXIT_DIFFERENT)
        if done.without_bytes:
            several = f"{len(done.without_bytes):,} files came without bytes"
            raise CommandError(f"{several}: the export lacked them.", returncode=EXIT_DIFFERENT)

    def compare(self, root: Place) -> int:
        looked_at, differing = Comparison(), 0
        for one in compare_everything(root, object_store(), looked_at):
            differing += 1
            if differing <= MAX_LINES:
                self.stderr.write(f"{one.table} {one.row} {one.told}")
        self.stdout.write(
            f"Compared {looked_at.rows:,} rows and {looked_at.objects:,} objects with the export: "
            f"{differing:,} differences."
        )
        return differing
