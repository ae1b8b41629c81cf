"""`./ids manage restore DIR`: a backup back into an empty data directory, or an empty database and store."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from files.storage import object_store
from operations.backup.backup_directory import SECRET_FILE, BackupDirectory, BackupError
from operations.backup.restoring import RestoreResult, check_backup, restore_backup
from operations.reconciliation.inventory import UnorderedListing
from wire.errors import ServiceError
from wire.sizes import format_size

EXIT_DAMAGED = 3
EPILOG = """exit codes: 0 all is back (or, with --dry-run, whole); 1 nothing was restored; 2 wrong arguments; 3 objects
of the backup are damaged and were left out. Start the service afterwards: it brings the database up to date."""


class Command(BaseCommand):
    help = "Bring a backup back. Only an empty database and an empty store are filled."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.epilog = EPILOG
        parser.add_argument("directory", type=Path, metavar="DIR")
        parser.add_argument("--backup", metavar="NAME", help="which one (default: the newest)")
        parser.add_argument("--dry-run", action="store_true", help="read all of the backup and write nothing")
        parser.add_argument("--keep-objects", action="store_true", help="the store may have other objects; they stay")
        parser.add_argument("--no-privileges", action="store_true", help="for a database without the backup's roles")

    def handle(self, **options: Any) -> None:
        place = BackupDirectory(options["directory"].expanduser().resolve())
        is_own = read_own_secret() == settings.SECRET_KEY
        try:
            backup = place.find_backup(options["backup"])
            if options["dry_run"]:
                self.report(f"Backup {backup.name} has", check_backup(place, backup))
                return
            done = restore_backup(
                place,
                backup,
                object_store(),
                secret=settings.IDS_DATA / SECRET_FILE,
                privileges=not options["no_privileges"],
                keep_objects=options["keep_objects"],
            )
            self.warn_of_other_secret((backup.path / SECRET_FILE).read_text(), is_own=is_own)
        except (BackupError, ServiceError, UnorderedListing, OSError, DatabaseError) as problem:
            raise CommandError(str(problem).strip()) from None
        except KeyboardInterrupt:
            raise CommandError("Stopped; begin again to go on.") from None
        if backup.is_database_only:
            self.stdout.write("It has no objects: ./ids manage reconcile says which the store lacks.")
        self.report(f"Backup {backup.name} is back:", done)

    def report(self, verb: str, done: RestoreResult) -> None:
        self.stdout.write(f"{verb} {done.objects:,} objects, {format_size(done.size_bytes)}.")
        for one in done.differences[:20]:
            self.stderr.write(f"{one.kind}  {one.key}")
        if done.differences:
            raise CommandError(f"{len(done.differences)} objects of the backup are damaged.", returncode=EXIT_DAMAGED)

    def warn_of_other_secret(self, secret: str, *, is_own: bool) -> None:
        if not is_own and secret != settings.SECRET_KEY:
            self.stderr.write(
                "SECRET_KEY is set and is not the one of the backup: people sign in anew, and the secrets of "
                "integrations have to be given again, unless you set it to the backup's (its file secret_key)."
            )


def read_own_secret() -> str | None:
    """The data directory's, which counts where SECRET_KEY is not set."""
    file = settings.IDS_DATA / SECRET_FILE
    return file.read_text() if file.exists() else None
