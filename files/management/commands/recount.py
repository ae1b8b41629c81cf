"""`./ids manage recount`: the kept numbers against a recount."""

import json
from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from files.recount import BATCH, Drift, drifted_instruments, drifted_runs, repair
from runs.models import Run
from wire.progress import Progress

DRIFTED = 3
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
            for found in drifted_runs():
                runs += self.settle(found, corrects=corrects, as_json=options["json"])
                progress.add(BATCH)
        instruments = self.settle(drifted_instruments(), corrects=corrects, as_json=options["json"])
        if options["json"]:
            summary = {"kind": "summary", "runs": runs, "instruments": instruments, "corrected": corrects}
            self.stdout.write(json.dumps(summary))
        else:
            verb = "corrected" if corrects else "differ"
            self.stdout.write(f"{runs} runs and {instruments} instruments {verb}")
        if runs + instruments and not corrects:
            raise CommandError("Numbers have drifted: run this without --dry-run.", returncode=DRIFTED)

    def settle(self, found: Sequence[Drift], *, corrects: bool, as_json: bool) -> int:
        if corrects:
            repair(found)
        for drift in found:
            if as_json:
                self.stdout.write(json.dumps({"kind": drift.kind, "name": drift.name, "columns": drift.columns}))
            else:
                columns = ", ".join(f"{name} {kept} → {counted}" for name, (kept, counted) in drift.columns.items())
                self.stdout.write(f"{drift.kind} {drift.name}: {columns}")
        return len(found)
