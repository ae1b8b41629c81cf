"""After how many days raw files of an instrument become cold."""

import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("instruments", "0008_days_of_retention"),
    ]

    operations = [
        pgtrigger.migrations.RemoveTrigger(
            model_name="instrument",
            name="trail_insert",
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="instrument",
            name="trail_update",
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="instrument",
            name="trail_delete",
        ),
        migrations.AddField(
            model_name="instrument",
            name="cold_raw_after_days",
            field=models.IntegerField(blank=True, null=True),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="instrument",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_insert",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "instruments_instrumenttrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'insert\', NEW."id", CASE WHEN NEW."display_name" IS NOT NULL THEN jsonb_build_object(\'display_name\', jsonb_build_array(NULL, NEW."display_name")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."status" IS NOT NULL THEN jsonb_build_object(\'status\', jsonb_build_array(NULL, NEW."status")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."instrument_type" IS NOT NULL THEN jsonb_build_object(\'instrument_type\', jsonb_build_array(NULL, NEW."instrument_type")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."time_zone" IS NOT NULL THEN jsonb_build_object(\'time_zone\', jsonb_build_array(NULL, NEW."time_zone")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."expect_files_every_hours" IS NOT NULL THEN jsonb_build_object(\'expect_files_every_hours\', jsonb_build_array(NULL, NEW."expect_files_every_hours")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."visibility" IS NOT NULL THEN jsonb_build_object(\'visibility\', jsonb_build_array(NULL, NEW."visibility")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."purge_deleted_after_days" IS NOT NULL THEN jsonb_build_object(\'purge_deleted_after_days\', jsonb_build_array(NULL, NEW."purge_deleted_after_days")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."expire_raw_after_days" IS NOT NULL THEN jsonb_build_object(\'expire_raw_after_days\', jsonb_build_array(NULL, NEW."expire_raw_after_days")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."expire_processed_after_days" IS NOT NULL THEN jsonb_build_object(\'expire_processed_after_days\', jsonb_build_array(NULL, NEW."expire_processed_after_days")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."expire_archives_after_days" IS NOT NULL THEN jsonb_build_object(\'expire_archives_after_days\', jsonb_build_array(NULL, NEW."expire_archives_after_days")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."cold_raw_after_days" IS NOT NULL THEN jsonb_build_object(\'cold_raw_after_days\', jsonb_build_array(NULL, NEW."cold_raw_after_days")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="5bb72e5f0866b5ef1df54ce6a6c054fbd4da5a4b",
                    operation="INSERT",
                    pgid="pgtrigger_trail_insert_6dbb5",
                    table="instruments_instrument",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="instrument",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."cold_raw_after_days" IS DISTINCT FROM (NEW."cold_raw_after_days") OR OLD."display_name" IS DISTINCT FROM (NEW."display_name") OR OLD."expect_files_every_hours" IS DISTINCT FROM (NEW."expect_files_every_hours") OR OLD."expire_archives_after_days" IS DISTINCT FROM (NEW."expire_archives_after_days") OR OLD."expire_processed_after_days" IS DISTINCT FROM (NEW."expire_processed_after_days") OR OLD."expire_raw_after_days" IS DISTINCT FROM (NEW."expire_raw_after_days") OR OLD."instrument_type" IS DISTINCT FROM (NEW."instrument_type") OR OLD."purge_deleted_after_days" IS DISTINCT FROM (NEW."purge_deleted_after_days") OR OLD."status" IS DISTINCT FROM (NEW."status") OR OLD."time_zone" IS DISTINCT FROM (NEW."time_zone") OR OLD."visibility" IS DISTINCT FROM (NEW."visibility"))',
                    func='INSERT INTO "instruments_instrumenttrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", CASE WHEN OLD."display_name" IS DISTINCT FROM NEW."display_name" THEN jsonb_build_object(\'display_name\', jsonb_build_array(OLD."display_name", NEW."display_name")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."status" IS DISTINCT FROM NEW."status" THEN jsonb_build_object(\'status\', jsonb_build_array(OLD."status", NEW."status")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."instrument_type" IS DISTINCT FROM NEW."instrument_type" THEN jsonb_build_object(\'instrument_type\', jsonb_build_array(OLD."instrument_type", NEW."instrument_type")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."time_zone" IS DISTINCT FROM NEW."time_zone" THEN jsonb_build_object(\'time_zone\', jsonb_build_array(OLD."time_zone", NEW."time_zone")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."expect_files_every_hours" IS DISTINCT FROM NEW."expect_files_every_hours" THEN jsonb_build_object(\'expect_files_every_hours\', jsonb_build_array(OLD."expect_files_every_hours", NEW."expect_files_every_hours")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."visibility" IS DISTINCT FROM NEW."visibility" THEN jsonb_build_object(\'visibility\', jsonb_build_array(OLD."visibility", NEW."visibility")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."purge_deleted_after_days" IS DISTINCT FROM NEW."purge_deleted_after_days" THEN jsonb_build_object(\'purge_deleted_after_days\', jsonb_build_array(OLD."purge_deleted_after_days", NEW."purge_deleted_after_days")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."expire_raw_after_days" IS DISTINCT FROM NEW."expire_raw_after_days" THEN jsonb_build_object(\'expire_raw_after_days\', jsonb_build_array(OLD."expire_raw_after_days", NEW."expire_raw_after_days")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."expire_processed_after_days" IS DISTINCT FROM NEW."expire_processed_after_days" THEN jsonb_build_object(\'expire_processed_after_days\', jsonb_build_array(OLD."expire_processed_after_days", NEW."expire_processed_after_days")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."expire_archives_after_days" IS DISTINCT FROM NEW."expire_archives_after_days" THEN jsonb_build_object(\'expire_archives_after_days\', jsonb_build_array(OLD."expire_archives_after_days", NEW."expire_archives_after_days")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."cold_raw_after_days" IS DISTINCT FROM NEW."cold_raw_after_days" THEN jsonb_build_object(\'cold_raw_after_days\', jsonb_build_array(OLD."cold_raw_after_days", NEW."cold_raw_after_days")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="701d1b6ba193b62a04ddfffaded92f6fcf6dfa7a",
                    operation='UPDATE OF "display_name", "status", "instrument_type", "time_zone", "expect_files_every_hours", "visibility", "purge_deleted_after_days", "expire_raw_after_days", "expire_processed_after_days", "expire_archives_after_days", "cold_raw_after_days"',
                    pgid="pgtrigger_trail_update_d96fa",
                    table="instruments_instrument",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="instrument",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_delete",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "instruments_instrumenttrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'delete\', OLD."id", CASE WHEN OLD."display_name" IS NOT NULL THEN jsonb_build_object(\'display_name\', jsonb_build_array(OLD."display_name", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."status" IS NOT NULL THEN jsonb_build_object(\'status\', jsonb_build_array(OLD."status", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."instrument_type" IS NOT NULL THEN jsonb_build_object(\'instrument_type\', jsonb_build_array(OLD."instrument_type", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."time_zone" IS NOT NULL THEN jsonb_build_object(\'time_zone\', jsonb_build_array(OLD."time_zone", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."expect_files_every_hours" IS NOT NULL THEN jsonb_build_object(\'expect_files_every_hours\', jsonb_build_array(OLD."expect_files_every_hours", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."visibility" IS NOT NULL THEN jsonb_build_object(\'visibility\', jsonb_build_array(OLD."visibility", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."purge_deleted_after_days" IS NOT NULL THEN jsonb_build_object(\'purge_deleted_after_days\', jsonb_build_array(OLD."purge_deleted_after_days", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."expire_raw_after_days" IS NOT NULL THEN jsonb_build_object(\'expire_raw_after_days\', jsonb_build_array(OLD."expire_raw_after_days", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."expire_processed_after_days" IS NOT NULL THEN jsonb_build_object(\'expire_processed_after_days\', jsonb_build_array(OLD."expire_processed_after_days", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."expire_archives_after_days" IS NOT NULL THEN jsonb_build_object(\'expire_archives_after_days\', jsonb_build_array(OLD."expire_archives_after_days", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."cold_raw_after_days" IS NOT NULL THEN jsonb_build_object(\'cold_raw_after_days\', jsonb_build_array(OLD."cold_raw_after_days", NULL)) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="98c56b17921924412cc1d4627b81a22ebb55eceb",
                    operation="DELETE",
                    pgid="pgtrigger_trail_delete_90431",
                    table="instruments_instrument",
                    when="AFTER",
                ),
            ),
        ),
    ]
