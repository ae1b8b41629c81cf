"""`./ids manage draw_thumbnails`: the small pictures of runs that were read before there were any."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from files.storage.interface import StoreUnavailable
from operations.progress import Progress
from processing.thumbnails import draw_stored
from runs.models import Run


class Command(BaseCommand):
    help = "Draws the thumbnails that runs lack, the newest first. May be stopped and started again at any time."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--most", type=int, metavar="N", help="look at the newest N runs only")

    def handle(self, **options: Any) -> None:
        seen = drawn = 0
        try:
            with Progress("runs", total=min(Run.objects.count(), options["most"] or Run.objects.count())) as progress:
                for looked_at, made in draw_stored(most=options["most"]):
                    seen, drawn = seen + looked_at, drawn + made
                    progress.add(looked_at)
        except StoreUnavailable as problem:
            raise CommandError(f"The object store is away after {drawn:,} thumbnails: {problem}") from problem
        self.stdout.write(f"{drawn:,} thumbnails of {seen:,} runs drawn; the others were there, or show nothing.")
