"""Deleted runs that cannot be restored any more."""

import pgtrigger.compiler
import pgtrigger.migrations
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0007_trail_seals"),
        ("instruments", "0007_retention"),
        ("runs", "0018_project_visibility"),
        ("watchers", "0023_changes_are_recorded"),
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
        pgtrigger.migrations.RemoveTrigger(
            model_name="run",
            name="keep_held_runs",
        ),
        migrations.AddField(
            model_name="run",
            name="purged_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="run",
            trigger=pgtrigger.compiler.Trigger(
                name="keep_held_runs",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN ((OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL) OR (OLD.purged_at IS NULL AND NEW.purged_at IS NOT NULL) OR (OLD.project_id IS NOT NULL AND OLD.project_id IS DISTINCT FROM NEW.project_id))",
                    func="\n    PERFORM 1 FROM runs_project WHERE id = OLD.project_id FOR SHARE;\n    IF EXISTS (SELECT 1 FROM runs_hold AS hold WHERE hold.project_id = OLD.project_id\n                  OR (hold.run_id = OLD.id AND (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL\n                      OR OLD.purged_at IS NULL AND NEW.purged_at IS NOT NULL))) THEN\n        RAISE EXCEPTION 'the run is on hold' USING ERRCODE = 'check_violation', CONSTRAINT = 'held_runs_stay';\n    END IF;\n    RETURN NEW;\n",
                    hash="42bee2ff080475226f1e728df023cbd8b0075c7c",
                    operation='UPDATE OF "deleted_at", "project_id", "purged_at"',
                    pgid="pgtrigger_keep_held_runs_02eeb",
                    table="runs_run",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="run",
            trigger=pgtrigger.compiler.Trigger(
                name="touch_run",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."acquired_at" IS DISTINCT FROM (NEW."acquired_at") OR OLD."own" IS DISTINCT FROM (NEW."own") OR OLD."deleted_at" IS DISTINCT FROM (NEW."deleted_at") OR OLD."extracted" IS DISTINCT FROM (NEW."extracted") OR OLD."project_id" IS DISTINCT FROM (NEW."project_id") OR OLD."purged_at" IS DISTINCT FROM (NEW."purged_at") OR OLD."tags" IS DISTINCT FROM (NEW."tags"))',
                    func="\n    UPDATE runs_run AS run SET updated_at = GREATEST(run.updated_at, date_trunc('milliseconds', clock_timestamp())) WHERE id = NEW.id;\n    RETURN NULL;\n",
                    hash="818e4a27ed8b346e252d006a886818c06b798786",
                    operation='UPDATE OF "own", "extracted", "acquired_at", "deleted_at", "tags", "project_id", "purged_at"',
                    pgid="pgtrigger_touch_run_76b5e",
                    table="runs_run",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="run",
            trigger=pgtrigger.compiler.Trigger(
                name="record_purge_of_run",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN (OLD.purged_at IS NULL AND NEW.purged_at IS NOT NULL)",
                    constraint="CONSTRAINT",
                    func="PERFORM public.record_change('run.purged', NEW.instrument_id, NEW.run_id, NULL, NULL, NULL, NULL);\n    RETURN NULL;",
                    hash="a59b55ac6ac097570f04747c199b5025da3d4a84",
                    operation='UPDATE OF "purged_at"',
                    pgid="pgtrigger_record_purge_of_run_4531d",
                    table="runs_run",
                    timing="DEFERRABLE INITIALLY DEFERRED",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="run",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."acquired_at" IS DISTINCT FROM (NEW."acquired_at") OR OLD."own" IS DISTINCT FROM (NEW."own") OR OLD."deleted_at" IS DISTINCT FROM (NEW."deleted_at") OR OLD."deleted_by_id" IS DISTINCT FROM (NEW."deleted_by_id") OR OLD."deleted_by_token_id" IS DISTINCT FROM (NEW."deleted_by_token_id") OR OLD."project_id" IS DISTINCT FROM (NEW."project_id") OR OLD."purged_at" IS DISTINCT FROM (NEW."purged_at") OR OLD."run_id" IS DISTINCT FROM (NEW."run_id") OR OLD."source" IS DISTINCT FROM (NEW."source") OR OLD."tags" IS DISTINCT FROM (NEW."tags") OR OLD."watcher_id" IS DISTINCT FROM (NEW."watcher_id"))',
                    func='INSERT INTO "runs_runtrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", CASE WHEN OLD."run_id" IS DISTINCT FROM NEW."run_id" THEN jsonb_build_object(\'run_id\', jsonb_build_array(OLD."run_id", NEW."run_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."source" IS DISTINCT FROM NEW."source" THEN jsonb_build_object(\'source\', jsonb_build_array(OLD."source", NEW."source")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."watcher_id" IS DISTINCT FROM NEW."watcher_id" THEN jsonb_build_object(\'watcher_id\', jsonb_build_array(OLD."watcher_id", NEW."watcher_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."acquired_at" IS DISTINCT FROM NEW."acquired_at" THEN jsonb_build_object(\'acquired_at\', jsonb_build_array(to_char(OLD."acquired_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."acquired_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN OLD."deleted_at" IS DISTINCT FROM NEW."deleted_at" THEN jsonb_build_object(\'deleted_at\', jsonb_build_array(to_char(OLD."deleted_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."deleted_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN OLD."deleted_by_id" IS DISTINCT FROM NEW."deleted_by_id" THEN jsonb_build_object(\'deleted_by_id\', jsonb_build_array(OLD."deleted_by_id", NEW."deleted_by_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."deleted_by_token_id" IS DISTINCT FROM NEW."deleted_by_token_id" THEN jsonb_build_object(\'deleted_by_token_id\', jsonb_build_array(OLD."deleted_by_token_id", NEW."deleted_by_token_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."tags" IS DISTINCT FROM NEW."tags" THEN jsonb_build_object(\'tags\', jsonb_build_array(OLD."tags", NEW."tags")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."project_id" IS DISTINCT FROM NEW."project_id" THEN jsonb_build_object(\'project_id\', jsonb_build_array(OLD."project_id", NEW."project_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."purged_at" IS DISTINCT FROM NEW."purged_at" THEN jsonb_build_object(\'purged_at\', jsonb_build_array(to_char(OLD."purged_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."purged_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN OLD."own" IS DISTINCT FROM NEW."own" THEN ( SELECT COALESCE(jsonb_object_agg(\'metadata.\' || COALESCE(old_key.key, new_key.key), jsonb_build_array(old_key.value, new_key.value)), \'{}\') FROM jsonb_each(OLD."own") AS old_key FULL JOIN jsonb_each(NEW."own") AS new_key ON old_key.key = new_key.key WHERE old_key.value IS DISTINCT FROM new_key.value) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="97300368af3f2f0f991dda2cc9f45047b8bae9d9",
                    operation='UPDATE OF "run_id", "source", "watcher_id", "acquired_at", "deleted_at", "deleted_by_id", "deleted_by_token_id", "tags", "project_id", "purged_at", "own"',
                    pgid="pgtrigger_trail_update_024dd",
                    table="runs_run",
                    when="AFTER",
                ),
            ),
        ),
    ]
