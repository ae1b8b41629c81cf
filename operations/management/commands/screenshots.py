from argparse import ArgumentParser
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from operations.demo.temporary_service import ServiceNotStarted

NO_PLAYWRIGHT = "Playwright is not installed. It comes with what the tests need: `./ids test --collect-only` once."


class Command(BaseCommand):
    help = "Take pictures of every page at 360, 1280 and 1920 px, light and dark, with demonstration data."
    requires_system_checks = ()  # it serves nothing itself

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("names", nargs="*", metavar="name", help="pictures to take; all by default")
        parser.add_argument(
            "--into",
            type=Path,
            default=settings.IDS_DATA / "screenshots",
            help="folder for the pictures (default: screenshots in the data directory)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if find_spec("playwright") is None:
            raise CommandError(NO_PLAYWRIGHT)
        gallery, camera = import_module("operations.demo.gallery"), import_module("operations.demo.camera")
        options["into"].mkdir(parents=True, exist_ok=True)
        try:
            taken = sum(1 for _ in gallery.take_gallery(options["into"], only=options["names"]))
        except camera.NoChromium:
            raise CommandError("There is no Chromium on this machine: apt-get install chromium.") from None
        except ServiceNotStarted as failed:
            raise CommandError(f"The service for the pictures did not start.\n{failed}") from None
        if not taken:
            raise CommandError(f"No picture has the name {', '.join(options['names'])}.")
        self.stdout.write(f"{taken} pictures in {options['into']}")
