"""The command `ids-data`."""

from __future__ import annotations

import logging
import os
import sys
from typing import Any

import click

import instrument_data as ids
from instrument_data.cli import access, crates, datasets, runs, sql, transfer, watch
from instrument_data.cli.output import tell
from instrument_data.errors import reason_of

REFUSED, INTERRUPTED = 1, 130
GOING_ON = frozenset({"get", "put", "import"})


class Commands(click.Group):
    def invoke(self, context: click.Context) -> Any:
        try:
            return super().invoke(context)
        except BrokenPipeError:  # `| head` has read enough; click would end with 1
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise click.exceptions.Exit(0) from None
        except (click.Abort, KeyboardInterrupt):
            goes_on = context.invoked_subcommand in GOING_ON
            tell("Interrupted. The same command goes on where it stopped." if goes_on else "Interrupted.")
            sys.exit(INTERRUPTED)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("--url", envvar="IDS_URL", metavar="URL", help="Which service; else the one of the last login.")
@click.option(
    "--patience",
    metavar="SECONDS",
    type=click.FloatRange(min=0),
    default=ids.PATIENCE_SECONDS,
    show_default=True,
    help="How long one call waits for a service that is busy or away.",
)
@click.version_option(ids.__version__, prog_name="ids-data")
@click.pass_context
def group(context: click.Context, url: str | None, patience: float) -> None:
    """Find, fetch, read and send what an Instrument Data Service keeps."""
    context.obj = Connecting(url, patience)


class Connecting:
    """Connects when a command needs it: help, login and completion do without."""

    def __init__(self, url: str | None, patience: float) -> None:
        self.url, self.patience = url, patience

    def lab(self) -> ids.Lab:
        return ids.connect(self.url, patience=self.patience)


for command in (
    access.login,
    access.logout,
    access.whoami,
    access.completion,
    access.cache,
    runs.instruments,
    runs.runs,
    transfer.get,
    transfer.put,
    crates.export,
    crates.import_crate,
    datasets.datasets,
    datasets.rows,
    sql.sql,
    watch.watch,
):
    group.add_command(command)


def main() -> None:
    """A refusal is one line on stderr and exit code 1; Ctrl-C is 130."""
    logging.getLogger("httpx").setLevel(logging.WARNING)  # signed addresses stay out of logs
    try:
        group.main(prog_name="ids-data", standalone_mode=False)
    except click.exceptions.Exit as end:
        sys.exit(end.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(INTERRUPTED)
    except (ids.InstrumentDataError, OSError, ValueError) as error:
        tell(f"ids-data: {reason_of(error)}")
        sys.exit(REFUSED)


if __name__ == "__main__":
    main()
