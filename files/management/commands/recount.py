"""`./ids manage recount`: count files, claims, comments and runs again."""

from typing import Any

from django.core.management.base import BaseCommand

from files.recount import recount


class Command(BaseCommand):
    help = "Counts files, claims, comments and runs again and corrects the kept numbers. Writers wait meanwhile."

    def handle(self, *args: Any, **options: Any) -> None:
        corrected = recount()
        self.stdout.write(f"{corrected.runs} runs and {corrected.instruments} instruments corrected")
