"""What every command takes: where the agent lives, and how to speak."""

import functools
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import rich_click as click
from click.exceptions import Exit

from instrument_watcher.cli.output import Output
from instrument_watcher.config.model import Config
from instrument_watcher.config.reading import load_config
from instrument_watcher.errors import AgentError, ExitCode
from instrument_watcher.home import HOME_VARIABLE, Home, find_home
from instrument_watcher.service.api import Service
from instrument_watcher.service.connection import Connection
from instrument_watcher.token_file import read_token

TOKEN_VARIABLE = "INSTRUMENT_WATCHER_TOKEN"


@dataclass(frozen=True)
class Call:
    """One call of a command."""

    home: Home
    output: Output

    def config(self) -> Config:
        """Raises ConfigMissing, ConfigInvalid."""
        return load_config(self.home.config)

    def service(self, config: Config) -> Service:
        return Service(Connection(config.server, read_token=lambda: read_token(self.home.token)))


def common(command: Callable[..., None]) -> Callable[..., None]:
    """Adds --home, --json and -v, and hands the command a Call."""

    @click.option(
        "--home",
        type=click.Path(file_okay=False, path_type=Path),
        metavar="DIR",
        envvar=HOME_VARIABLE,
        help="Where configuration, token, journal and logs are kept.",
    )
    @click.option("--json", "as_json", is_flag=True, help="Answer in JSON, for scripts.")
    @click.option("-v", "--verbose", count=True, help="Say more.")
    @functools.wraps(command)
    def run(*, home: Path | None, as_json: bool, verbose: int, **answers: Any) -> None:
        call = Call(find_home(home), Output(as_json, verbose))
        try:
            command(call, **answers)
        except AgentError as error:
            call.output.error(error)
            raise Exit(error.code) from None
        except PermissionError as error:
            denied = AgentError(
                f"No permission: {error.filename}", remedy=_remedy(call.home), code=ExitCode.CONFIGURATION
            )
            call.output.error(denied)
            raise Exit(denied.code) from None

    return run  # fmt: skip


def _remedy(home: Home) -> str:
    user = os.environ.get("USER") or os.environ.get("USERNAME") or "this user"
    return f"{home.folder} belongs to another user than {user}. Use that user, or another --home."
