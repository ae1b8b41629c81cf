"""Runs as RO-Crates: out of one service, into another."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from instrument_data.cli.options import complete_instruments, json_option, split_run
from instrument_data.cli.output import print_json
from instrument_data.cli.transfer import tell_report
from instrument_data.errors import UploadFailed


@click.command()
@click.argument("run", metavar="INSTRUMENT/RUN")
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path(), help="File or folder; else this one.")
@json_option
@click.pass_obj
def export(obj: Any, /, run: str, output: Path, as_json: bool) -> None:
    """Fetch a run as an RO-Crate in one ZIP: its files, its people, its metadata, its checksums."""
    with obj.lab() as lab:
        place = lab.run(*split_run(run)).save_crate(output)
    print_json({"run": run, "path": place}) if as_json else click.echo(place)


@click.command("import")
@click.argument("source", type=click.Path(exists=True, path_type=Path))
@click.option("-i", "--instrument", help="Another than the crate names.", shell_complete=complete_instruments)
@click.option("-r", "--run", help="Another name than in the crate.")
@click.option("--parallel", type=click.IntRange(1, 32), default=4, show_default=True, help="Files at a time.")
@json_option
@click.pass_obj
def import_crate(obj: Any, /, source: Path, as_json: bool, **wanted: Any) -> None:
    """Bring a run back from an RO-Crate, byte for byte. Repeating it sends only what is missing."""
    with obj.lab() as lab:
        try:
            report = lab.import_crate(source, **wanted)
        except UploadFailed as failure:
            tell_report(failure.report, as_json)
            sys.exit(1)
    tell_report(report, as_json)
