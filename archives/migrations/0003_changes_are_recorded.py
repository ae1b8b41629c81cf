"""What happens is written into the log, at the end of its transaction."""

import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("changes", "0001_log_and_webhooks"),
        ("archives", "0002_quick_checks"),
    ]

    operations = [
        pgtrigger.migrations.AddTrigger(
            model_name="archivejob",
            trigger=pgtrigger.compiler.Trigger(
                name="record_ended_archive",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN (OLD.status <> NEW.status AND NEW.status IN ('ready', 'failed'))",
                    constraint="CONSTRAINT",
                    func="PERFORM public.record_change(\n        'archive.' || NEW.status, run.instrument_id, run.run_id, NULL, NULL, NEW.id, NULL\n    ) FROM runs_run AS run WHERE run.id = NEW.run_id;\n    RETURN NULL;",
                    hash="cac8622dbc41952f3bebf698dcb368e120348e2e",
                    operation='UPDATE OF "status"',
                    pgid="pgtrigger_record_ended_archive_ac4a1",
                    table="archives_archivejob",
                    timing="DEFERRABLE INITIALLY DEFERRED",
                    when="AFTER",
                ),
            ),
        ),
    ]
