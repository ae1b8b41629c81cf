"""`./ids manage process_file PATH`: what a reader finds in a file, for those who write readers."""

import json
import shutil
from argparse import ArgumentParser
from dataclasses import replace
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from processing.confined.fork_server_client import fork_server_pool
from processing.confined.output import Reading
from processing.confined.reading import put_input, read_file, scratch_folder
from processing.failures import NotRecognised, ReadingFailed
from processing.readings import HEAD_BYTES, InstrumentType
from processing.registry import GENERIC_TYPE, choose_type, get_registry, list_candidates, matches_signature

EXPLANATION = "processing.processors.generic:explain"


class Command(BaseCommand):
    help = "Print what a reader finds in a file, and write its artefacts to a folder. The database is not used."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path)
        parser.add_argument("--type", default="generic", metavar="NAME", help="the instrument's type")
        parser.add_argument("--out", type=Path, metavar="DIR", help="for the artefacts (default: PATH.processed)")
        parser.add_argument("--explain", action="store_true", help="say step by step how the file is recognised")
        parser.add_argument("--time-zone", default=settings.TIME_ZONE, metavar="ZONE", help="of the instrument")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["path"]
        kind = self.kind_of(path, options["type"])
        try:
            ZoneInfo(options["time_zone"])
        except (ZoneInfoNotFoundError, ValueError) as error:
            raise CommandError("--time-zone takes an IANA name, such as Europe/Berlin.") from error
        self.stderr.write(f"{path.name} is read as {kind.title} ({kind.name}).")
        if options["explain"]:
            self.explain_choice(path, options["type"])
            kind = replace(kind, process=EXPLANATION) if kind == GENERIC_TYPE else kind
        try:
            with scratch_folder() as home:
                put_input(home, path, filename=path.name)
                reading = read_file(home, filename=path.name, kind=kind, time_zone=options["time_zone"])
                if kind.process == EXPLANATION:
                    self.stdout.write("\n".join(reading.warnings))
                elif not options["explain"]:
                    self.show(reading, out=options["out"] or path.with_name(f"{path.name}.processed"))
        except NotRecognised as error:
            raise CommandError(f"{error.sentence} It would stay as it is.") from error
        except ReadingFailed as error:
            raise CommandError("\n".join(filter(None, (error.sentence, error.detail)))) from error
        finally:
            fork_server_pool.close()

    def kind_of(self, path: Path, name: str) -> InstrumentType:
        known = get_registry()
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

    def explain_choice(self, path: Path, name: str) -> None:
        """What each type says of the first bytes and the name, in the order in which they are asked."""
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
        marked = [kind.title for kind in get_registry().types.values() if matches_signature(kind.signature, head)]
        self.stdout.write(f"The first bytes carry the mark of: {', '.join(marked) or 'none'}.")
        asked = list_candidates(get_registry().types[name], filename=path.name, head=head)
        self.stdout.write(f"Types in the order in which they are asked: {', '.join(kind.name for kind in asked)}.")

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
