"""What happens is written into the log, at the end of its transaction."""

import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("changes", "0001_log_and_webhooks"),
        ("instruments", "0003_expected_files"),
    ]

    operations = [
        pgtrigger.migrations.AddTrigger(
            model_name="instrument",
            trigger=pgtrigger.compiler.Trigger(
                name="record_announced_instrument",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN (NEW.status = 'pending')",
                    constraint="CONSTRAINT",
                    func="PERFORM public.record_change('instrument.pending', NEW.id, NULL, NULL, NULL, NULL, NULL);\n    RETURN NULL;",
                    hash="3cf25bba48e493fc82fb30e25fe5882a3c47dad6",
                    operation="INSERT",
                    pgid="pgtrigger_record_announced_instrument_4c5a3",
                    table="instruments_instrument",
                    timing="DEFERRABLE INITIALLY DEFERRED",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="instrument",
            trigger=pgtrigger.compiler.Trigger(
                name="record_pending_instrument",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN (OLD.status <> NEW.status AND NEW.status = 'pending')",
                    constraint="CONSTRAINT",
                    func="PERFORM public.record_change('instrument.pending', NEW.id, NULL, NULL, NULL, NULL, NULL);\n    RETURN NULL;",
                    hash="4c7e633e2c7dceecc2daec45ec02099f0bec9d5a",
                    operation='UPDATE OF "status"',
                    pgid="pgtrigger_record_pending_instrument_6bbd9",
                    table="instruments_instrument",
                    timing="DEFERRABLE INITIALLY DEFERRED",
                    when="AFTER",
                ),
            ),
        ),
    ]
