"""What the database tells the log of instruments."""

import pgtrigger

from changes.triggers import change_trigger, record_sql

PENDING = record_sql("'instrument.pending'", instrument="NEW.id")
ON_INSTRUMENTS = [
    change_trigger(
        "record_announced_instrument",
        operation=pgtrigger.Insert,
        condition="NEW.status = 'pending'",
        func=PENDING,
    ),
    change_trigger(
        "record_pending_instrument",
        operation=pgtrigger.UpdateOf("status"),
        condition="OLD.status <> NEW.status AND NEW.status = 'pending'",
        func=PENDING,
    ),
]
