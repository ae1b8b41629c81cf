"""Attaching this agent to an instrument."""

import platform
from dataclasses import replace
from typing import Any

from instrument_watcher import __version__
from instrument_watcher.config.model import Config
from instrument_watcher.errors import AgentError, ExitCode
from instrument_watcher.service.api import Service
from instrument_watcher.service.errors import Refused


class InstrumentHeld(AgentError):
    """Another watcher holds the instrument; one instrument has one."""

    def __init__(self, instrument_id: str, holder: dict[str, Any]) -> None:
        host = holder.get("hostname") or "a machine without a name"
        heard = holder.get("last_heartbeat_at")
        super().__init__(
            f"{instrument_id} is held by another watcher: {holder['id']} on {host},"
            f" {f'last heard at {heard}' if heard else 'never heard of'}.",
            remedy=(
                "If it is no longer in use, an admin frees the instrument in the dashboard: Watchers,"
                f" {host}, Deregister. A token with the scope watchers:admin may do it with"
                f" DELETE /api/v1/watchers/{holder['id']}. Then run init again."
            ),
            code=ExitCode.REGISTRATION,
        )
        self.holder = holder


def own_watcher(service: Service, known: Config | None, *, instrument_id: str) -> str | None:
    """The id of the watcher that this home has registered for the instrument, while it is active.

    The address does not matter: a service that knows the id is the one that gave it, wherever it moved.
    """
    if known is None or known.watcher_id is None or known.instrument_id != instrument_id:
        return None
    try:
        watcher = service.watcher(known.watcher_id)
    except Refused as refusal:
        if refusal.status == 404:
            return None
        raise
    return known.watcher_id if watcher["deleted_at"] is None else None


def refuse_held(service: Service, known: Config | None, *, instrument_id: str) -> None:
    """Raises InstrumentHeld where a watcher has the instrument that this home did not register."""
    holder = service.watcher_of(instrument_id)
    if holder is not None and holder["id"] != own_watcher(service, known, instrument_id=instrument_id):
        raise InstrumentHeld(instrument_id, holder)


def register(service: Service, config: Config, *, instance: str) -> Config:
    """The configuration with the id of a newly registered watcher. Raises InstrumentHeld, Refused, ServiceAway."""
    try:
        watcher = service.register(
            config.instrument_id,
            instance_id=instance,
            hostname=platform.node()[:255],
            os_info=platform.platform()[:255],
            agent_version=__version__,
        )
    except Refused as refusal:
        holder = refusal.details.get("existing_watcher_id")
        if holder is None:
            raise
        raise InstrumentHeld(config.instrument_id, _describe(service, str(holder), refusal)) from None
    return replace(config, watcher_id=str(watcher["watcher_id"]))


def _describe(service: Service, holder: str, refusal: Refused) -> dict[str, Any]:
    try:
        return service.watcher(holder)
    except AgentError:
        return {"id": holder, "hostname": refusal.details.get("hostname")}
