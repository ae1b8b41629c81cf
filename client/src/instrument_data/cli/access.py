"""Which service, and with which token; what is kept here."""

from __future__ import annotations

import sys
import webbrowser
from typing import Any

import click

import instrument_data as ids
from instrument_data.browser_login import login_by_browser
from instrument_data.cache import open_cache
from instrument_data.cli.options import json_option
from instrument_data.cli.output import print_json, tell
from instrument_data.credentials import (
    Credentials,
    clean_url,
    environment_token,
    forget_credentials,
    keep_credentials,
)
from instrument_data.html import size_text

LOGIN_PATIENCE = 10.0  # seconds: an address that was mistyped does not answer later either
SHELLS = {
    "bash": 'eval "$(_IDS_DATA_COMPLETE=bash_source ids-data)"',
    "zsh": 'eval "$(_IDS_DATA_COMPLETE=zsh_source ids-data)"',
    "fish": "_IDS_DATA_COMPLETE=fish_source ids-data | source",
}


@click.command()
@click.argument("url", required=False)
@click.option("--token", "asks", is_flag=True, help="Ask for a token that an admin made, instead of the browser.")
@click.option("--token-stdin", is_flag=True, help="Read the token from standard input.")
@click.option(
    "--browser/--no-browser",
    default=None,
    help="Open the browser, or only print the page's address: for another computer's browser.",
)
@json_option
@click.pass_obj
def login(obj: Any, /, url: str | None, asks: bool, token_stdin: bool, browser: bool | None, as_json: bool) -> None:
    """Keep a service's address and a token for it, readable by you only.

    In a terminal the browser opens, where an admin allows the token. Or it is taken from IDS_TOKEN (unless IDS_URL
    names another service), asked for, or read: admins make tokens in the dashboard under Settings, Access tokens.
    """
    if asks + token_stdin + (browser is not None) > 1:
        raise click.UsageError("Of --token, --token-stdin and --browser (or --no-browser) one is meant.")
    address = clean_url(url or obj.url or click.prompt("Address of the service", err=True))
    if browser is None:
        browser = None if asks or token_stdin or environment_token(address) or not sys.stdin.isatty() else True
    if browser is not None:
        token = login_by_browser(address, show=_open_browser if browser else _tell_address, read_pasted=not browser)
    elif token_stdin:
        token = sys.stdin.readline().strip()
    else:
        known = None if asks else environment_token(address)
        token = known or click.prompt("Token", hide_input=True, err=True).strip()
    with ids.connect(address, token, patience=min(obj.patience, LOGIN_PATIENCE)) as lab:
        about = lab.whoami()
    place = keep_credentials(Credentials(address, token))
    if as_json:
        print_json({"url": address, "credentials": place, **about})
    else:
        tell(f"{address} knows this token as {about['name']}. Kept in {place}.")


def _open_browser(address: str, pairing: str) -> None:
    opened = webbrowser.open(address)
    tell(f"{'Your browser opens this page' if opened else 'Open this page in your browser'}, which shows {pairing}:")
    tell(f"{address}\nAllow the token there. (With a token that you have: Ctrl-C, then ids-data login --token)")


def _tell_address(address: str, pairing: str) -> None:
    tell(f"Open this page in a browser, which shows {pairing}, and allow the token there:\n{address}")
    tell("On another computer the browser ends at a page that cannot be reached: paste its address here, and Enter.")


@click.command()
@click.argument("url", required=False)
@json_option
@click.pass_obj
def logout(obj: Any, /, url: str | None, as_json: bool) -> None:
    """Forget the token of a service. It stays good until an admin revokes it, under Settings, Access tokens."""
    address = clean_url(url) if url else obj.lab().url
    known = forget_credentials(address)
    if as_json:
        print_json({"url": address, "forgotten": known})
    elif known:
        tell(f"The token for {address} is forgotten. It works until it is revoked: {address}/settings/tokens")
    else:
        tell(f"There was none for {address}.")


@click.command()
@json_option
@click.pass_obj
def whoami(obj: Any, /, as_json: bool) -> None:
    """Tell which token is used, and what it may do."""
    with obj.lab() as lab:
        about = {"url": lab.url, **lab.whoami()}
    if as_json:
        print_json(about)
    else:
        click.echo(f"{about['name']} at {about['url']}: {', '.join(about['scopes'])}")


@click.command()
@click.argument("shell", type=click.Choice(tuple(SHELLS)))
def completion(shell: str) -> None:
    """Print the line that completes commands, options and instruments: add it to your shell's profile."""
    click.echo(SHELLS[shell])


@click.command()
@click.option("--prune", metavar="DAYS", type=click.FloatRange(min=0), help="Remove what was not used in so many days.")
@json_option
def cache(prune: float | None, as_json: bool) -> None:
    """Tell how much is kept of what was fetched, and remove what is not used."""
    kept = open_cache()
    removed = (0, 0) if prune is None else kept.prune(unused_days=prune)
    sizes = [path.stat().st_size for path in kept.root.rglob("*") if path.is_file()]
    about = {"folder": kept.root, "files": len(sizes), "bytes": sum(sizes), "removed_files": removed[0]}
    if as_json:
        print_json({**about, "removed_bytes": removed[1]})
    else:
        click.echo(f"{kept.root}: {len(sizes)} files, {size_text(sum(sizes))}; removed {removed[0]}.")
