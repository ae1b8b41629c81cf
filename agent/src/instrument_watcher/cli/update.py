"""instrument-watcher update: the version that the service's admins chose."""

import rich_click as click
from rich.markup import escape

from instrument_watcher import __version__
from instrument_watcher.cli.options import Call, common
from instrument_watcher.reporting.updates import newer_release
from instrument_watcher.upgrading import UpdateRefused, install_version, refuse_unfit_installation


@click.command()
@click.option("--check", "only_check", is_flag=True, help="Only say whether there is a newer version.")
@click.option("--source", metavar="WHERE", help="\"index\" (pip's own), an index's address, or a folder of wheels.")
@common
def update(call: Call, *, only_check: bool, source: str | None) -> None:
    """Install the version that the service offers for this watcher's channel.

    With updates.source in the configuration a running agent does this by itself, when it is idle.
    """
    config = call.config()
    release = newer_release(call.service(config), watcher_id=config.watcher_id or "")
    if release is None:
        call.output.result({"version": __version__, "update_available": False})
        call.output.ok(f"Version {__version__} is the one to run")
        return
    call.output.say(f"Version {release.version} is available; {__version__} runs here.")
    if only_check:
        call.output.result({"version": __version__, "update_available": True, "latest_version": release.version})
        return
    refuse_unfit_installation()
    source = source or config.updates.source
    if source is None:
        raise UpdateRefused(
            "Where does the new version come from?",
            remedy="Say it with --source, or for good in the configuration: updates.source",
        )
    with call.output.console.status(f"Installing version {escape(release.version)}"):
        install_version(release.version, source=source)
    call.output.result({"version": release.version, "update_available": False})
    call.output.ok(f"Version {release.version} is installed. A running agent takes it over when it is started again:")
    call.output.say("  [accent]instrument-watcher service stop && instrument-watcher service start[/]")
