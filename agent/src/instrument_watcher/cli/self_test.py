"""instrument-watcher self-test: what a new version is asked before it may run. Another version calls it."""

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import rich_click as click

from instrument_watcher import __version__
from instrument_watcher.cli.options import Call, common
from instrument_watcher.config.reading import load_config
from instrument_watcher.journal.journal import Journal
from instrument_watcher.token_file import read_token


@click.command("self-test", hidden=True)
@common
def self_test(call: Call) -> None:
    """Read the configuration, the token and a copy of the journal; print the version."""
    load_config(call.home.config)
    read_token(call.home.token)
    if call.home.journal.exists():
        with tempfile.TemporaryDirectory() as folder:
            _read_copy(call.home.journal, Path(folder) / "journal.sqlite3")
    click.echo(__version__)


def _read_copy(journal: Path, copy: Path) -> None:
    """A copy, because the agent of the old version works with the journal meanwhile, and this one may change it."""
    with closing(sqlite3.connect(journal)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
    opened = Journal(copy)
    opened.refuse_damaged()
    opened.queue.waiting()
    opened.close()
