"""What happens is written into the log, at the end of its transaction."""

import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("changes", "0001_log_and_webhooks"),
        ("files", "0012_stored_sizes"),
    ]

    operations = [
        pgtrigger.migrations.AddTrigger(
            model_name="file",
            trigger=pgtrigger.compiler.Trigger(
                name="record_stored_file",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN (NEW.uploaded_at IS NOT NULL AND NEW.category = 'raw')",
                    constraint="CONSTRAINT",
                    func="PERFORM public.record_change(\n        'file.uploaded', run.instrument_id, run.run_id, NEW.id, NULL, NULL, NULL\n    ) FROM runs_run AS run WHERE run.id = NEW.run_id;\n    RETURN NULL;",
                    hash="90f83836c3e136f83db4d8b5f6de462ec6026539",
                    operation="INSERT",
                    pgid="pgtrigger_record_stored_file_93c09",
                    table="files_file",
                    timing="DEFERRABLE INITIALLY DEFERRED",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="file",
            trigger=pgtrigger.compiler.Trigger(
                name="record_uploaded_file",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN (OLD.uploaded_at IS NULL AND NEW.uploaded_at IS NOT NULL)",
                    constraint="CONSTRAINT",
                    func="PERFORM public.record_change(\n        'file.uploaded', run.instrument_id, run.run_id, NEW.id, NULL, NULL, NULL\n    ) FROM runs_run AS run WHERE run.id = NEW.run_id;\n    RETURN NULL;",
                    hash="921b053208b1eb8f65b7554dfbd16c24a581233a",
                    operation='UPDATE OF "uploaded_at"',
                    pgid="pgtrigger_record_uploaded_file_6c8b6",
                    table="files_file",
                    timing="DEFERRABLE INITIALLY DEFERRED",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="file",
            trigger=pgtrigger.compiler.Trigger(
                name="record_read_file",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN (OLD.status <> NEW.status AND NEW.status IN ('completed', 'failed'))",
                    constraint="CONSTRAINT",
                    func="PERFORM public.record_change(\n        'file.' || NEW.status, run.instrument_id, run.run_id, NEW.id, NULL, NULL, NULL\n    ) FROM runs_run AS run WHERE run.id = NEW.run_id;\n    RETURN NULL;",
                    hash="fb018af0e4c2dd4452a03da0e017aa3e2946a894",
                    operation='UPDATE OF "status"',
                    pgid="pgtrigger_record_read_file_5c8ca",
                    table="files_file",
                    timing="DEFERRABLE INITIALLY DEFERRED",
                    when="AFTER",
                ),
            ),
        ),
    ]
