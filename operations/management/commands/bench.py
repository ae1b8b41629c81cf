"""`./ids manage bench seed --runs N` and `./ids manage bench run [name …]` (docs/performance.md)."""

from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from operations.bench.history import LARGE, MIDDLE, SMALL
from operations.bench.laboratory import NotSeeded
from operations.bench.measures import MEASURES, run_measures
from operations.bench.seed import DatabaseNotEmpty, seed_database


class Command(BaseCommand):
    help = "Fills an empty database with a laboratory of some size, and measures the service on it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        fill = actions.add_parser("seed", help="fill an empty database")
        fill.add_argument(
            "--runs",
            type=_read_count,
            default=SMALL,
            help=f"default: %(default)s; targets know {SMALL}, {MIDDLE} and {LARGE}",
        )
        fill.add_argument("--instruments", type=_read_count, help="default: one for 500 runs")
        fill.add_argument(
            "--groups", type=_read_count, default=0, help="spread the instruments over so many; default: none"
        )
        measure = actions.add_parser("run", help="print one line a measure; fails when a target is missed")
        measure.add_argument("names", nargs="*", metavar="name", help=", ".join(MEASURES))
        measure.add_argument(
            "--history",
            type=Path,
            default=settings.IDS_DATA / "bench",
            help="folder that keeps the figures of each size, for targets of growth",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        match options["action"]:
            case "seed":
                self._seed(options["runs"], instruments=options["instruments"], groups=options["groups"])
            case "run":
                self._run(options["names"], history=options["history"])

    def _seed(self, runs: int, *, instruments: int | None, groups: int) -> None:
        call_command("migrate", interactive=False, verbosity=0)
        try:
            seed_database(runs=runs, instruments=instruments, groups=groups, say=self.stdout.write)
        except DatabaseNotEmpty:
            raise CommandError("This database holds other data. Name an empty one: --data, DATABASE_URL.") from None

    def _run(self, names: list[str], *, history: Path) -> None:
        if unknown := set(names) - set(MEASURES):
            raise CommandError(f"No measure is called {', '.join(sorted(unknown))}: {', '.join(MEASURES)}.")
        missed = 0
        try:
            for line in run_measures(names, history=history):
                self.stdout.write(str(line))
                missed += line.passed is False
        except NotSeeded:
            raise CommandError("There is nothing to measure: `./ids manage bench seed` first.") from None
        if missed:
            raise CommandError(f"{missed} targets missed")


def _read_count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not int(text):
        raise ArgumentTypeError("a whole number from 1 on")
    return int(text)
