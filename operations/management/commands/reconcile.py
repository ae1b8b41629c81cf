"""`./ids manage reconcile`: does the store have what the database says, and nothing else?"""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection

from files.models import File
from files.storage import whole_store
from operations.progress import Progress
from operations.reconciliation.checkpoint import Checkpoint
from operations.reconciliation.comparison import Difference, DifferenceKind, Reconciliation, Tally, remove_orphans
from operations.reconciliation.inventory import UnorderedListing, count_named_objects
from wire.clock import format_timestamp, now
from wire.errors import ServiceError
from wire.sizes import format_size

EXIT_DATA_AT_RISK, EXIT_ORPHANS_ONLY = 3, 4
FILE_TABLE = File._meta.db_table
MAX_LINES_PER_KIND = 20  # of differences of a kind, for people
EPILOG = """exit codes: 0 the two agree; 1 the comparison could not be finished (--resume goes on); 2 wrong arguments;
3 something is missing, wrong or unreadable; 4 nothing is, but there are orphans."""


class Command(BaseCommand):
    help = "Compare the database with the object store. Nothing is changed, unless --remove-orphans says so."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.epilog = EPILOG
        parser.add_argument("--read", action="store_true", help="read every byte and compare checksums")
        parser.add_argument("--resume", action="store_true", help="go on where the last comparison was cut off")
        parser.add_argument("--json", action="store_true", help="one JSON object a line, the last one the summary")
        parser.add_argument("--remove-orphans", action="store_true", help="delete what no row names; with --older-than")
        parser.add_argument("--older-than", type=int, metavar="HOURS", help="age of an orphan (default 24, least 1)")
        parser.add_argument("--dry-run", action="store_true", help="with --remove-orphans: delete nothing")

    def handle(self, **options: Any) -> None:
        self.as_json, self.counts = options["json"], dict.fromkeys(DifferenceKind, 0)
        checkpoint = Checkpoint(settings.IDS_DATA / "reconcile.json")
        work = build_reconciliation(checkpoint, options)
        if FILE_TABLE not in connection.introspection.table_names():
            raise CommandError(f"The service in {settings.IDS_DATA} was never started: is --data right?")
        removes = options["remove_orphans"] and not options["dry_run"]
        removed = 0
        try:
            with Progress("objects", total=count_named_objects()) as progress:
                for found in work.differences():
                    self.report_differences(found)
                    if removes and (orphans := [one for one in found if one.kind is DifferenceKind.ORPHAN]):
                        removed += remove_orphans(work.store, orphans)
                    checkpoint.write(work)
                    progress.set(work.tally.objects, size_bytes=work.tally.size_bytes)
        except (ServiceError, UnorderedListing, DatabaseError, KeyboardInterrupt) as problem:
            checkpoint.write(work, at_once=True)
            raise CommandError(f"{str(problem).strip() or 'Stopped.'} Go on with --resume.") from None
        checkpoint.remove()
        self.report_summary(work.tally, removed)

    def report_differences(self, found: list[Difference]) -> None:
        for one in found:
            self.counts[one.kind] += 1
            if self.as_json:
                self.stdout.write(json.dumps(asdict(one), default=format_timestamp))
            elif self.counts[one.kind] <= MAX_LINES_PER_KIND:
                said = f", {one.expected} expected, {one.found} found" if one.found is not None else ""
                self.stdout.write(f"{one.kind}  {one.key}  {one.owner or 'nobody'}{said}")
            elif self.counts[one.kind] == MAX_LINES_PER_KIND + 1:
                self.stdout.write(f"{one.kind}  … (--json lists all)")

    def report_summary(self, tally: Tally, removed: int) -> None:
        at_risk = tally.count_differences(*(kind for kind in DifferenceKind if kind is not DifferenceKind.ORPHAN))
        orphans = tally.differences[DifferenceKind.ORPHAN] - removed
        if self.as_json:
            summary = {"kind": "summary", **asdict(tally), "removed": removed}
            self.stdout.write(json.dumps(summary))
        else:
            self.stdout.write(
                f"{tally.objects:,} objects, {format_size(tally.size_bytes)}: {describe_tally(tally, removed)}"
            )
        if at_risk or orphans:
            raise CommandError(
                f"{at_risk + orphans} differences", returncode=EXIT_DATA_AT_RISK if at_risk else EXIT_ORPHANS_ONLY
            )


def build_reconciliation(checkpoint: Checkpoint, options: dict[str, Any]) -> Reconciliation:
    if options["remove_orphans"] and options["older_than"] is None:
        raise CommandError("--remove-orphans needs an age: --older-than HOURS.", returncode=2)
    hours = options["older_than"] if options["older_than"] is not None else 24
    if hours < 1:
        raise CommandError("--older-than is at least 1 hour: younger objects may be on their way in.", returncode=2)
    position, tally = "", Tally()
    if options["resume"]:
        kept = checkpoint.read()
        if kept is None:
            raise CommandError("No comparison was cut off: start one without --resume.", returncode=2)
        position, was_read, tally = kept
        if was_read != options["read"]:
            raise CommandError(
                f"It was cut off {'with' if was_read else 'without'} --read: say the same.", returncode=2
            )
    age = timedelta(hours=hours)
    store = whole_store()
    return Reconciliation(store, read=options["read"], at=now(), older_than=age, position=position, tally=tally)


def describe_tally(tally: Tally, removed: int) -> str:
    counts = {kind.replace("_", " "): count for kind, count in tally.differences.items()}
    counts |= {"removed": removed, "not yet uploaded": tally.waiting, "left to the sweep": tally.leftovers}
    counts |= {"of others": tally.foreign, "without a known checksum": tally.unverified}
    return ", ".join(f"{count:,} {name}" for name, count in counts.items() if count) or "no differences"
