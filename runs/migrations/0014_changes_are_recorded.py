"""What happens is written into the log, at the end of its transaction."""

import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("changes", "0001_log_and_webhooks"),
        ("runs", "0013_words_of_metadata"),
    ]

    operations = [
        pgtrigger.migrations.AddTrigger(
            model_name="comment",
            trigger=pgtrigger.compiler.Trigger(
                name="record_new_comment",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    constraint="CONSTRAINT",
                    func="PERFORM public.record_change(\n        'comment.created', run.instrument_id, run.run_id, NULL, NEW.id, NULL, NULL\n    ) FROM runs_run AS run WHERE run.id = NEW.run_id;\n    RETURN NULL;",
                    hash="02575a859b7d91279fd6c1c5494f7028fa837242",
                    operation="INSERT",
                    pgid="pgtrigger_record_new_comment_f94f9",
                    table="runs_comment",
                    timing="DEFERRABLE INITIALLY DEFERRED",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="run",
            trigger=pgtrigger.compiler.Trigger(
                name="record_new_run",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    constraint="CONSTRAINT",
                    func="PERFORM public.record_change('run.created', NEW.instrument_id, NEW.run_id, NULL, NULL, NULL, NULL);\n    RETURN NULL;",
                    hash="ff157f99ef1c722dd2d3e4f2a835b99eaf711160",
                    operation="INSERT",
                    pgid="pgtrigger_record_new_run_7d8de",
                    table="runs_run",
                    timing="DEFERRABLE INITIALLY DEFERRED",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="run",
            trigger=pgtrigger.compiler.Trigger(
                name="record_status_of_run",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN (OLD.status IS DISTINCT FROM NEW.status AND NEW.status IN ('completed', 'failed'))",
                    constraint="CONSTRAINT",
                    func="PERFORM public.record_change('run.' || NEW.status, NEW.instrument_id, NEW.run_id, NULL, NULL, NULL, NULL);\n    RETURN NULL;",
                    hash="af3b9a7226aeb9ebfd18ed139e1d3243e4c51685",
                    operation='UPDATE OF "status"',
                    pgid="pgtrigger_record_status_of_run_43219",
                    table="runs_run",
                    timing="DEFERRABLE INITIALLY DEFERRED",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="run",
            trigger=pgtrigger.compiler.Trigger(
                name="record_deletion_of_run",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN ((OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL))",
                    constraint="CONSTRAINT",
                    func="PERFORM public.record_change(CASE WHEN NEW.deleted_at IS NULL THEN 'run.restored' ELSE 'run.deleted' END, NEW.instrument_id, NEW.run_id, NULL, NULL, NULL, NULL);\n    RETURN NULL;",
                    hash="8bc6bd5eba0ff7e283ae7d974456293685400fb4",
                    operation='UPDATE OF "deleted_at"',
                    pgid="pgtrigger_record_deletion_of_run_55775",
                    table="runs_run",
                    timing="DEFERRABLE INITIALLY DEFERRED",
                    when="AFTER",
                ),
            ),
        ),
    ]
