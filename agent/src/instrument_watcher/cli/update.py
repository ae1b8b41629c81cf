"""instrument-watcher update: the version that the service's admins chose."""

import rich_click as click
from rich.markup import escape

from instrument_watcher import __version__
from instrument_watcher.cli.options import Call, common
from instrument_watcher.releases.installing import Offer, install_release, pinned_key
from instrument_watcher.reporting.updates import find_offer
from instrument_watcher.service.store import Store
from instrument_watcher.upgrading import UpdateRefused, install_version, refuse_unfit_installation


@click.command()
@click.option("--check", "only_check", is_flag=True, help="Only say whether there is a newer version.")
@click.option("--source", metavar="WHERE", help="\"index\" (pip's own), an index's address, or a folder of wheels.")
@common
def update(call: Call, *, only_check: bool, source: str | None) -> None:
    """Install the version that the service offers for this watcher; it may be an older one.

    Signed releases come from the service; a running agent takes them by itself, when it is idle.
    """
    config = call.config()
    offer = find_offer(call.service(config), watcher_id=config.watcher_id or "")
    if offer is None:
        call.output.result({"version": __version__, "update_available": False})
        call.output.ok(f"Version {__version__} is the one to run")
        return
    call.output.say(f"Version {offer.name} is offered; {__version__} runs here.")
    if only_check:
        call.output.result({"version": __version__, "update_available": True, "latest_version": offer.version})
        return
    with call.output.console.status(f"Installing version {escape(offer.name)}"):
        version = _install(call, offer, source=source, configured=config.updates.source)
    call.output.result({"version": version, "update_available": False})
    call.output.ok(f"Version {version} is installed. A running agent takes it over when it is started again:")
    call.output.say("  [accent]instrument-watcher service stop && instrument-watcher service start[/]")


def _install(call: Call, offer: Offer, *, source: str | None, configured: str | None) -> str:
    """By the key that was given at the enrolment, unless a person says another source. Raises AgentError."""
    key = pinned_key(call.home)
    if key is not None and source is None:
        return install_release(offer, home=call.home, public_key=key, store=Store())
    refuse_unfit_installation()
    source = source or configured
    if source is None or offer.version is None:
        raise UpdateRefused(
            "Where does the new version come from?",
            remedy="Say it with --source, or for good in the configuration: updates.source",
        )
    install_version(offer.version, source=source)
    return offer.version
