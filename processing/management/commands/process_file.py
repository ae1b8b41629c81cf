"""`./ids manage process_file PATH`: what a reader finds in a file, for those who write readers."""

import json
import shutil
from argparse import ArgumentParser
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from processing.failures import NotRecognised, ReadingFailed
from processing.isolation import put_input, read_file, scratch_folder
from processing.output import Reading
from processing.readings import HEAD_BYTES, InstrumentType
from processing.registry import choose_type, registry
from processing.zygote import nursery


class Command(BaseCommand):
    help = "Print what a reader finds in a file, and write its artefacts to a folder. The database is not used."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path)
        parser.add_argument("--type", default="generic", metavar="NAME", help="the instrument's type")
        parser.add_argument("--out", type=Path, metavar="DIR", help="for the artefacts (default: PATH.processed)")
        parser.add_argument("--time-zone", default=settings.TIME_ZONE, metavar="ZONE", help="of the instrument")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["path"]
        kind = self.kind_of(path, options["type"])
        try:
            ZoneInfo(options["time_zone"])
        except (ZoneInfoNotFoundError, ValueError) as error:
            raise CommandError("--time-zone takes an IANA name, such as Europe/Berlin.") from error
        self.stderr.write(f"{path.name} is read as {kind.title} ({kind.name}).")
        try:
            with scratch_folder() as home:
                put_input(home, path, filename=path.name)
                reading = read_file(home, filename=path.name, kind=kind, time_zone=options["time_zone"])
                self.show(reading, out=options["out"] or path.with_name(f"{path.name}.processed"))
        except NotRecognised as error:
            raise CommandError(f"{error.sentence} It would stay as it is.") from error
        except ReadingFailed as error:
            raise CommandError("\n".join(filter(None, (error.sentence, error.detail)))) from error
        finally:
            nursery.close()

    def kind_of(self, path: Path, name: str) -> InstrumentType:
        known = registry()
        if name in known.broken:
            raise CommandError(f"The plug-in {name} is broken: {known.broken[name]}")
        if name not in known.types:
            raise CommandError(f"There is no type {name}. There are: {', '.join(sorted(known.types))}")
        if not path.is_file():
            raise CommandError(f"{path} is no file.")
        with path.open("rb") as file:
            kind = choose_type(filename=path.name, head=file.read(HEAD_BYTES), instrument_type=name)
        if kind is None:
            raise CommandError(f"No reader takes {path.name}: it would stay uploaded.")
        return kind

    def show(self, reading: Reading, *, out: Path) -> None:
        out.mkdir(parents=True, exist_ok=True)
        for artefact in reading.artefacts:
            shutil.copyfile(artefact.path, out / artefact.name)
        found: dict[str, Any] = {
            "run": reading.run,
            "file": reading.file,
            "acquired_at": reading.acquired_at.isoformat() if reading.acquired_at else None,
            "warnings": list(reading.warnings),
            "artefacts": [
                {
                    "path": str(out / artefact.name),
                    "kind": artefact.kind,
                    "title": artefact.title,
                    "size_bytes": artefact.size_bytes,
                }
                for artefact in reading.artefacts
            ],
        }
        self.stdout.write(json.dumps(found, indent=2, ensure_ascii=False))
