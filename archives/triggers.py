"""What the database tells the log of archives."""

import pgtrigger

from changes.triggers import change_trigger, record_of_run_sql

ON_ARCHIVE_JOBS = [
    change_trigger(
        "record_ended_archive",
        operation=pgtrigger.UpdateOf("status"),
        condition="OLD.status <> NEW.status AND NEW.status IN ('ready', 'failed')",
        func=record_of_run_sql("'archive.' || NEW.status", archive="NEW.id"),
    ),
]
