"""What happens is written into the log, at the end of its transaction."""

import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("changes", "0001_log_and_webhooks"),
        ("watchers", "0022_thinned_heartbeats"),
    ]

    operations = [
        pgtrigger.migrations.AddTrigger(
            model_name="watcher",
            trigger=pgtrigger.compiler.Trigger(
                name="record_new_watcher",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    constraint="CONSTRAINT",
                    func="PERFORM public.record_change('watcher.registered', NEW.instrument_id, NULL, NULL, NULL, NULL, NEW.id);\n    RETURN NULL;",
                    hash="2a880495edc2021b88ff074eff711460f6fc62eb",
                    operation="INSERT",
                    pgid="pgtrigger_record_new_watcher_ab0b0",
                    table="watchers_watcher",
                    timing="DEFERRABLE INITIALLY DEFERRED",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="watcher",
            trigger=pgtrigger.compiler.Trigger(
                name="record_silent_watcher",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN (OLD.offline_announced_at IS NULL AND NEW.offline_announced_at IS NOT NULL)",
                    constraint="CONSTRAINT",
                    func="PERFORM public.record_change('watcher.offline', NEW.instrument_id, NULL, NULL, NULL, NULL, NEW.id);\n    RETURN NULL;",
                    hash="98b5daf5e81bb53c9d623d4284237fdb63cbb0a5",
                    operation='UPDATE OF "offline_announced_at"',
                    pgid="pgtrigger_record_silent_watcher_ffb59",
                    table="watchers_watcher",
                    timing="DEFERRABLE INITIALLY DEFERRED",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="watcher",
            trigger=pgtrigger.compiler.Trigger(
                name="record_watcher_back",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN (OLD.offline_announced_at IS NOT NULL AND NEW.offline_announced_at IS NULL AND NEW.status = 'watching' AND NEW.deleted_at IS NULL)",
                    constraint="CONSTRAINT",
                    func="PERFORM public.record_change('watcher.online', NEW.instrument_id, NULL, NULL, NULL, NULL, NEW.id);\n    RETURN NULL;",
                    hash="897721c59cb4ab146a165bf1dad2ffbda6195d5d",
                    operation='UPDATE OF "offline_announced_at"',
                    pgid="pgtrigger_record_watcher_back_d6d64",
                    table="watchers_watcher",
                    timing="DEFERRABLE INITIALLY DEFERRED",
                    when="AFTER",
                ),
            ),
        ),
    ]
