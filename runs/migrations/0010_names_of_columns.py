import django.db.models.lookups
import pgtrigger.compiler
import pgtrigger.migrations
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """`own` is `caller_metadata` in Python; the column keeps its name and no row is touched."""

    dependencies = [
        ("accounts", "0003_trail"),
        ("instruments", "0002_trail"),
        ("runs", "0009_trail"),
        ("watchers", "0012_reread_days"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        pgtrigger.migrations.RemoveTrigger(
            model_name="run",
            name="touch_run",
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="run",
            name="trail_update",
        ),
        migrations.AlterField(
            model_name="run",
            name="own",
            field=models.JSONField(blank=True, db_column="own", default=dict),
        ),
        migrations.RenameField(
            model_name="run",
            old_name="own",
            new_name="caller_metadata",
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="run",
            trigger=pgtrigger.compiler.Trigger(
                name="touch_run",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."acquired_at" IS DISTINCT FROM (NEW."acquired_at") OR OLD."own" IS DISTINCT FROM (NEW."own") OR OLD."deleted_at" IS DISTINCT FROM (NEW."deleted_at") OR OLD."extracted" IS DISTINCT FROM (NEW."extracted"))',
                    func="\n    UPDATE runs_run AS run SET updated_at = GREATEST(run.updated_at, date_trunc('milliseconds', clock_timestamp())) WHERE id = NEW.id;\n    RETURN NULL;\n",
                    hash="c953a198b0444c460017363c40fa164c817eb5eb",
                    operation='UPDATE OF "own", "extracted", "acquired_at", "deleted_at"',
                    pgid="pgtrigger_touch_run_76b5e",
                    table="runs_run",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="run",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."acquired_at" IS DISTINCT FROM (NEW."acquired_at") OR OLD."own" IS DISTINCT FROM (NEW."own") OR OLD."deleted_at" IS DISTINCT FROM (NEW."deleted_at") OR OLD."deleted_by_id" IS DISTINCT FROM (NEW."deleted_by_id") OR OLD."deleted_by_token_id" IS DISTINCT FROM (NEW."deleted_by_token_id") OR OLD."run_id" IS DISTINCT FROM (NEW."run_id") OR OLD."source" IS DISTINCT FROM (NEW."source") OR OLD."watcher_id" IS DISTINCT FROM (NEW."watcher_id"))',
                    func='INSERT INTO "runs_runtrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", CASE WHEN OLD."run_id" IS DISTINCT FROM NEW."run_id" THEN jsonb_build_object(\'run_id\', jsonb_build_array(OLD."run_id", NEW."run_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."source" IS DISTINCT FROM NEW."source" THEN jsonb_build_object(\'source\', jsonb_build_array(OLD."source", NEW."source")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."watcher_id" IS DISTINCT FROM NEW."watcher_id" THEN jsonb_build_object(\'watcher_id\', jsonb_build_array(OLD."watcher_id", NEW."watcher_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."acquired_at" IS DISTINCT FROM NEW."acquired_at" THEN jsonb_build_object(\'acquired_at\', jsonb_build_array(to_char(OLD."acquired_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."acquired_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN OLD."deleted_at" IS DISTINCT FROM NEW."deleted_at" THEN jsonb_build_object(\'deleted_at\', jsonb_build_array(to_char(OLD."deleted_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."deleted_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN OLD."deleted_by_id" IS DISTINCT FROM NEW."deleted_by_id" THEN jsonb_build_object(\'deleted_by_id\', jsonb_build_array(OLD."deleted_by_id", NEW."deleted_by_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."deleted_by_token_id" IS DISTINCT FROM NEW."deleted_by_token_id" THEN jsonb_build_object(\'deleted_by_token_id\', jsonb_build_array(OLD."deleted_by_token_id", NEW."deleted_by_token_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."own" IS DISTINCT FROM NEW."own" THEN ( SELECT COALESCE(jsonb_object_agg(\'metadata.\' || COALESCE(old_key.key, new_key.key), jsonb_build_array(old_key.value, new_key.value)), \'{}\') FROM jsonb_each(OLD."own") AS old_key FULL JOIN jsonb_each(NEW."own") AS new_key ON old_key.key = new_key.key WHERE old_key.value IS DISTINCT FROM new_key.value) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="dcb108a062cc63c50df93a2f040988ffe02281ff",
                    operation='UPDATE OF "run_id", "source", "watcher_id", "acquired_at", "deleted_at", "deleted_by_id", "deleted_by_token_id", "own"',
                    pgid="pgtrigger_trail_update_024dd",
                    table="runs_run",
                    when="AFTER",
                ),
            ),
        ),
        migrations.SeparateDatabaseAndState(  # the same condition in SQL
            state_operations=[
                migrations.RemoveConstraint(
                    model_name="run",
                    name="run_own_is_an_object",
                ),
                migrations.AddConstraint(
                    model_name="run",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            django.db.models.lookups.Exact(
                                models.Func(
                                    models.F("caller_metadata"),
                                    function="jsonb_typeof",
                                    output_field=models.TextField(),
                                ),
                                "object",
                            )
                        ),
                        name="run_own_is_an_object",
                    ),
                ),
            ],
        ),
    ]
