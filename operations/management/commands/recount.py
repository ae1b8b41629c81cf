"""`./ids manage recount`: the kept numbers against a recount."""

import json
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from files.stored.recount import (
    RUNS_PER_BATCH,
    CounterDrift,
    find_drifted_instruments,
    find_drifted_runs,
    repair_counters,
)
from files.stored.sizes import correct_range, find_drift, list_ranges
from operations.progress import Progress
from runs.models import Run
from wire.clock import now

EXIT_DRIFTED = 3
EPILOG = """exit codes: 0 every number is right (or was corrected); 3 some are not, with --dry-run."""


class Command(BaseCommand):
    help = "Counts files, claims, comments and runs again, says what differs and corrects it. The service goes on."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.epilog = EPILOG
        parser.add_argument("--dry-run", action="store_true", help="correct nothing")
        parser.add_argument("--json", action="store_true", help="one JSON object a line, the last one the summary")

    def handle(self, **options: Any) -> None:
        corrects, runs = not options["dry_run"], 0
        with Progress("runs", total=Run.objects.count()) as progress:
            for found in find_drifted_runs():
                runs += self.repair_and_report(found, corrects=corrects, as_json=options["json"])
                progress.add(RUNS_PER_BATCH)
        instruments = self.repair_and_report(find_drifted_instruments(), corrects=corrects, as_json=options["json"])
        stored = self.recount_stored(corrects=corrects, as_json=options["json"])
        if options["json"]:
            rows = {"runs": runs, "instruments": instruments, "stored": stored}
            summary = {"kind": "summary", **rows, "corrected": corrects}
            self.stdout.write(json.dumps(summary))
        else:
            verb = "corrected" if corrects else "differ"
            self.stdout.write(f"{runs} runs and {instruments} instruments {verb}")
        if runs + instruments + stored and not corrects:
            raise CommandError("Numbers have drifted: run this without --dry-run.", returncode=EXIT_DRIFTED)

    def recount_stored(self, *, corrects: bool, as_json: bool) -> int:
        """What is kept of all stored files, range by range; how many numbers differed."""
        drifts = 0
        for number in list_ranges():
            for drift in correct_range(number, at=now()) if corrects else find_drift(number):
                drifts += 1
                self.stdout.write(json.dumps({"kind": "stored"} | asdict(drift)) if as_json else str(drift))
        return drifts

    def repair_and_report(self, found: Sequence[CounterDrift], *, corrects: bool, as_json: bool) -> int:
        if corrects:
            repair_counters(found)
        for drift in found:
            if as_json:
                self.stdout.write(json.dumps({"kind": drift.kind, "name": drift.name, "columns": drift.columns}))
            else:
                columns = ", ".join(f"{name} {kept} → {counted}" for name, (kept, counted) in drift.columns.items())
                self.stdout.write(f"{drift.kind} {drift.name}: {columns}")
        return len(found)
