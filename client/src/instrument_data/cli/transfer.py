"""Bringing files here, and there."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from instrument_data import Lab
from instrument_data.cli.options import (
    complete_instruments,
    find_runs,
    json_option,
    read_facts,
    search_options,
    split_run,
)
from instrument_data.cli.output import print_json, tell
from instrument_data.errors import UnknownName, UploadFailed
from instrument_data.local_files import UploadReport
from instrument_data.places import local_path


@click.command()
@click.argument("run", required=False, metavar="[INSTRUMENT/RUN]")
@click.argument("names", nargs=-1, metavar="[FILE]...")
@search_options
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, file_okay=False), default=Path(), help="Folder; else this one."
)
@click.option("--parallel", type=click.IntRange(1, 32), default=4, show_default=True, help="Files at a time.")
@json_option
@click.pass_obj
def get(
    obj: Any, /, run: str | None, names: tuple[str, ...], output: Path, parallel: int, as_json: bool, **search: Any
) -> None:
    """Fetch files of one run, or of all runs that a search finds, verified by their checksums.

    Files land in INSTRUMENT/RUN/ below the output folder. What is there already, byte for byte, is not fetched again.
    """
    if run is None and not any(search.values()):
        raise click.UsageError("Say which run, or search for some.")
    with obj.lab() as lab:
        chosen = [lab.run(*split_run(run))] if run else find_runs(lab, search)
        found = False
        for one in chosen:
            found = True
            folder = output / one.instrument_id / one.run_id
            if names:
                places = [one.files[name].save(folder / local_path(name), progress=None) for name in names]
            else:
                places = one.files.save(folder, progress=None, parallel=parallel)
            for place in places:
                print_json({"run": one.run_id, "path": place}) if as_json else click.echo(place)
        if not found:
            tell("No run is found.")


@click.command()
@click.argument("source", type=click.Path(exists=True, path_type=Path))
@click.option("-i", "--instrument", required=True, help="Id or name.", shell_complete=complete_instruments)
@click.option("-r", "--run", help="Name of the run; else that of the file or folder.")
@click.option(
    "-m", "--metadata", multiple=True, metavar="KEY=VALUE", help="Text; KEY:=37.5 is a number, and any JSON likewise."
)
@click.option("--acquired-at", help="When it was measured: 2026-11-02T10:00:00Z, yesterday …")
@click.option("--create-instrument", is_flag=True, help="Make the instrument where there is none of this id.")
@click.option("--new-version", is_flag=True, help="Other bytes under a known path become its next version.")
@click.option("--part-size", type=click.IntRange(min=5), metavar="MIB", help="Send larger files in parts of this size.")
@click.option("--parallel", type=click.IntRange(1, 32), default=4, show_default=True, help="Files at a time.")
@json_option
@click.pass_obj
def put(
    obj: Any,
    /,
    source: Path,
    run: str | None,
    metadata: tuple[str, ...],
    part_size: int | None,
    create_instrument: bool,
    as_json: bool,
    **sent: Any,
) -> None:
    """Send a file or a folder as a run. Repeating it sends only what is missing; stored bytes are never replaced."""
    facts = read_facts(metadata)
    with obj.lab() as lab:
        if create_instrument:
            _create_unless_there(lab, sent["instrument"])
        try:
            report = lab.upload(
                source,
                run=run or (source.resolve().stem if source.is_file() else source.resolve().name),
                metadata=facts,
                part_size=None if part_size is None else part_size << 20,
                **sent,
            )
        except UploadFailed as failure:
            tell_report(failure.report, as_json)
            sys.exit(1)
    tell_report(report, as_json)


def _create_unless_there(lab: Lab, instrument: str) -> None:
    try:
        lab.find_instrument_id(instrument)
    except UnknownName:
        made = lab.create_instrument(instrument)
        tell(f"The instrument {made.id} is made; an admin confirms it.")


def tell_report(report: UploadReport, as_json: bool) -> None:
    if as_json:
        names = {"uploaded": report.uploaded, "known": report.known, "failed": report.failed}
        print_json({"instrument_id": report.run.instrument_id, "run_id": report.run.run_id, **names})
        return
    for name, reason in report.failed.items():
        tell(f"{name}: {reason}")
    counts = f"{len(report.uploaded)} uploaded, {len(report.known)} known already, {len(report.failed)} failed"
    click.echo(f"{report.run.instrument_id}/{report.run.run_id}: {counts}")
