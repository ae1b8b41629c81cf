"""How often an instrument should bring files, and its place in the trail."""

import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0003_trail"), ("instruments", "0002_trail")]

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
            name="expect_files_every_hours",
            field=models.IntegerField(blank=True, null=True),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="instrument",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_insert",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "instruments_instrumenttrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'insert\', NEW."id", CASE WHEN NEW."display_name" IS NOT NULL THEN jsonb_build_object(\'display_name\', jsonb_build_array(NULL, NEW."display_name")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."status" IS NOT NULL THEN jsonb_build_object(\'status\', jsonb_build_array(NULL, NEW."status")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."instrument_type" IS NOT NULL THEN jsonb_build_object(\'instrument_type\', jsonb_build_array(NULL, NEW."instrument_type")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."time_zone" IS NOT NULL THEN jsonb_build_object(\'time_zone\', jsonb_build_array(NULL, NEW."time_zone")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."expect_files_every_hours" IS NOT NULL THEN jsonb_build_object(\'expect_files_every_hours\', jsonb_build_array(NULL, NEW."expect_files_every_hours")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="577cadb6037a5a74a7b1ad1d4c30955d1944e520",
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
                    condition='WHEN (OLD."display_name" IS DISTINCT FROM (NEW."display_name") OR OLD."expect_files_every_hours" IS DISTINCT FROM (NEW."expect_files_every_hours") OR OLD."instrument_type" IS DISTINCT FROM (NEW."instrument_type") OR OLD."status" IS DISTINCT FROM (NEW."status") OR OLD."time_zone" IS DISTINCT FROM (NEW."time_zone"))',
                    func='INSERT INTO "instruments_instrumenttrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", CASE WHEN OLD."display_name" IS DISTINCT FROM NEW."display_name" THEN jsonb_build_object(\'display_name\', jsonb_build_array(OLD."display_name", NEW."display_name")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."status" IS DISTINCT FROM NEW."status" THEN jsonb_build_object(\'status\', jsonb_build_array(OLD."status", NEW."status")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."instrument_type" IS DISTINCT FROM NEW."instrument_type" THEN jsonb_build_object(\'instrument_type\', jsonb_build_array(OLD."instrument_type", NEW."instrument_type")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."time_zone" IS DISTINCT FROM NEW."time_zone" THEN jsonb_build_object(\'time_zone\', jsonb_build_array(OLD."time_zone", NEW."time_zone")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."expect_files_every_hours" IS DISTINCT FROM NEW."expect_files_every_hours" THEN jsonb_build_object(\'expect_files_every_hours\', jsonb_build_array(OLD."expect_files_every_hours", NEW."expect_files_every_hours")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="e9686b3285ae5ba6c2673b11d7799e0043380c36",
                    operation='UPDATE OF "display_name", "status", "instrument_type", "time_zone", "expect_files_every_hours"',
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
                    func='INSERT INTO "instruments_instrumenttrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'delete\', OLD."id", CASE WHEN OLD."display_name" IS NOT NULL THEN jsonb_build_object(\'display_name\', jsonb_build_array(OLD."display_name", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."status" IS NOT NULL THEN jsonb_build_object(\'status\', jsonb_build_array(OLD."status", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."instrument_type" IS NOT NULL THEN jsonb_build_object(\'instrument_type\', jsonb_build_array(OLD."instrument_type", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."time_zone" IS NOT NULL THEN jsonb_build_object(\'time_zone\', jsonb_build_array(OLD."time_zone", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."expect_files_every_hours" IS NOT NULL THEN jsonb_build_object(\'expect_files_every_hours\', jsonb_build_array(OLD."expect_files_every_hours", NULL)) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="b0cbc68ba53de08493f773904bfa556c9d2eaa05",
                    operation="DELETE",
                    pgid="pgtrigger_trail_delete_90431",
                    table="instruments_instrument",
                    when="AFTER",
                ),
            ),
        ),
        migrations.AddConstraint(
            model_name="instrument",
            constraint=models.CheckConstraint(
                condition=models.Q(("expect_files_every_hours__gte", 1), ("expect_files_every_hours__lte", 8784)),
                name="instrument_expects_files_within_a_year",
            ),
        ),
    ]
