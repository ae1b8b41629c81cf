"""What somebody who watches for attacks wants to hear of: each is one line of the log and one count in the metrics.

Nothing here refuses; who refuses tells of it. Facts are ids of ours, never a secret and never a text that was sent.
"""

import logging
from enum import StrEnum
from uuid import UUID

from wire.audit_context import current_principal
from wire.telemetry.metrics import count_security_event

log = logging.getLogger("ids.security")


class SecurityEvent(StrEnum):
    """The `kind` of the line and of `ids_security_events_total`; docs/metrics.md says what each one means."""

    FOREIGN_INSTRUMENT = "foreign_instrument"
    REPLAYED_CODE = "replayed_code"
    REPLAYED_REFRESH_TOKEN = "replayed_refresh_token"
    SPENT_LINK = "spent_link"
    ADMIN_CHANGED = "admin_changed"
    CREDENTIALS_GUESSED = "credentials_guessed"
    CALL_REFUSED = "call_refused"


def record_security_event(kind: SecurityEvent, **facts: str | int | UUID | None) -> None:
    """Who acts and in which request is added by itself; without a request it is the part of the service at work."""
    told = {name: value if isinstance(value, int) else value and str(value) for name, value in facts.items()}
    log.warning("security event", extra={"kind": str(kind), "principal": current_principal(), **told})
    count_security_event(kind)
