"""`./ids manage scrub`: read stored bytes again now, compare them, and heal what can be."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from files.integrity.findings import list_open_findings
from files.integrity.models import FileScrub
from files.integrity.scrub import enrol_files, is_at_work, scrub_due_files
from operations.progress import Progress
from wire.clock import now

EXIT_FINDINGS = 3
EPILOG = """exit codes: 0 all was right, or was healed; 1 it could not be finished, the next one goes on;
3 stored bytes are missing or damaged."""


class Command(BaseCommand):
    help = "Read stored bytes whose turn it is, compare them with their checksums and heal what the replica has."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.epilog = EPILOG
        parser.add_argument("--all", action="store_true", help="every stored file, also what is not due")

    def handle(self, **options: Any) -> None:
        if not settings.SCRUB_WITHIN_DAYS and not options["all"]:
            raise CommandError("SCRUB_WITHIN_DAYS is 0: nothing is ever due. Use --all.", returncode=1)
        while enrol_files():
            pass
        read, healed = self.read_files(options["all"])
        findings = list_open_findings().count()
        self.stdout.write(f"{read:,} files read, {healed:,} healed, {findings:,} missing or damaged")
        if findings:
            raise CommandError("Settings, Integrity lists them.", returncode=EXIT_FINDINGS)

    def read_files(self, is_all: bool) -> tuple[int, int]:
        began_at, read, healed = now(), 0, 0
        with Progress("files", total=FileScrub.objects.count()) as progress:
            while (done := scrub_due_files(clock=now, read_before=began_at if is_all else None)).files:
                read, healed = read + done.files, healed + done.healed
                progress.add(done.files)
        if is_at_work(at=now()):
            raise CommandError("A worker reads stored bytes now: try again when it is done.", returncode=1)
        return read, healed
