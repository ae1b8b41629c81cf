"""`./ids manage export_catalog`: an Apache Iceberg catalogue over the datasets' Parquet files, brought up to date."""

import logging
from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from datasets.iceberg.catalog import NAMESPACE, describe_catalog, is_installed, open_catalog
from datasets.iceberg.export import LeftOut, TableExport, export_tables
from datasets.models import Dataset
from files.storage import object_store
from wire.clock import now
from wire.errors import ServiceError

INSTALL = "python -m pip install --no-deps --require-hashes -r requirements-iceberg.lock"
MAX_NAMED = 20


class Command(BaseCommand):
    help = "Keeps an Apache Iceberg catalogue over the datasets: a table for each name; run it again after changes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--name", action="append", default=[], help="only this table; may be repeated")
        parser.add_argument("--anew", action="store_true", help="forget the tables' earlier columns and versions")

    def handle(self, *args: Any, **options: Any) -> None:
        if not is_installed():
            raise CommandError(f"PyIceberg is missing; install it with {INSTALL}")
        from pyiceberg.exceptions import CommitFailedException
        from sqlalchemy.exc import SQLAlchemyError

        logging.getLogger("pyiceberg").setLevel(logging.ERROR)
        known = Dataset.objects.filter(name__in=options["name"]).values_list("name", flat=True)
        if unknown := sorted(set(options["name"]) - set(known)):
            raise CommandError(f"There is no dataset of the name {', '.join(unknown)}.")
        try:
            object_store().check()
            for done in export_tables(open_catalog(), names=options["name"], anew=options["anew"], at=now()):
                self.tell(done)
        except CommitFailedException as error:
            raise CommandError("Somebody else changed a table meanwhile: run it again.") from error
        except ServiceError as error:
            raise CommandError(error.message) from error
        except (OSError, SQLAlchemyError) as error:
            raise CommandError(f"The catalogue cannot be written: {error}") from error
        said = describe_catalog()
        self.stdout.write(f"Catalogue {said['uri']}, namespace {NAMESPACE}, tables below {said['warehouse']}.")

    def tell(self, done: TableExport) -> None:
        self.stdout.write(f"{done.name}: {done.datasets:,} datasets, {done.added:,} new, {done.removed:,} gone.")
        for line in describe_left_out(done.left_out):
            self.stderr.write(f"{done.name}: {line}")


def describe_left_out(left_out: Sequence[LeftOut]) -> list[str]:
    lines = []
    for one in left_out[:MAX_NAMED]:
        run, file = one.dataset.run, one.dataset.source_file
        lines.append(f"{run.instrument_id}/{run.run_id} {file.filename} ({one.dataset.pk}) is left out: {one.reason}.")
    more = len(left_out) - MAX_NAMED
    return [*lines, f"{more:,} more are left out."] if more > 0 else lines
