"""Bringing the events of the outbox to the service, in batches that may be sent twice."""

import logging

from instrument_watcher.journal.outbox import Event, Outbox
from instrument_watcher.service.api import Service
from instrument_watcher.service.errors import Refused

log = logging.getLogger("instrument_watcher")


def send_events(outbox: Outbox, service: Service, *, watcher_id: str) -> bool:
    """Send one batch; False when there is none. Raises ServiceAway, Refused."""
    events = outbox.batch()
    if not events:
        return False
    _send(events, outbox, service, watcher_id=watcher_id)
    return True


def _send(events: list[Event], outbox: Outbox, service: Service, *, watcher_id: str) -> None:
    """An event that the service does not take is not allowed to hold up the others."""
    try:
        service.send_events(watcher_id, [event.wire() for event in events])
    except Refused as refusal:
        if refusal.status not in (400, 413):
            raise
        if len(events) > 1:
            middle = len(events) // 2
            _send(events[:middle], outbox, service, watcher_id=watcher_id)
            _send(events[middle:], outbox, service, watcher_id=watcher_id)
            return
        log.error("The service does not take an event: %s (%s)", refusal.message, events[0].message)
    outbox.remove(events)
