"""The trail of instruments."""

import django.db.models.deletion
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0003_trail"),
        ("instruments", "0001_instruments"),
    ]

    operations = [
        migrations.CreateModel(
            name="InstrumentTrail",
            fields=[
                (
                    "pgh_id",
                    models.BigIntegerField(
                        db_default=models.Func(models.Value("public.accounts_trail_ids"), function="nextval"),
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("pgh_created_at", models.DateTimeField()),
                ("pgh_label", models.CharField(max_length=6)),
                ("changes", models.JSONField()),
                ("pgh_context", models.JSONField()),
            ],
            options={
                "verbose_name": "instrument change",
                "verbose_name_plural": "instrument changes",
                "abstract": False,
            },
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="instrument",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_insert",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "instruments_instrumenttrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'insert\', NEW."id", CASE WHEN NEW."display_name" IS NOT NULL THEN jsonb_build_object(\'display_name\', jsonb_build_array(NULL, NEW."display_name")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."status" IS NOT NULL THEN jsonb_build_object(\'status\', jsonb_build_array(NULL, NEW."status")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."instrument_type" IS NOT NULL THEN jsonb_build_object(\'instrument_type\', jsonb_build_array(NULL, NEW."instrument_type")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."time_zone" IS NOT NULL THEN jsonb_build_object(\'time_zone\', jsonb_build_array(NULL, NEW."time_zone")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="9266a130bf120cfa6d82c76f5099e7e4cdc4a30d",
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
                    condition='WHEN (OLD."display_name" IS DISTINCT FROM (NEW."display_name") OR OLD."instrument_type" IS DISTINCT FROM (NEW."instrument_type") OR OLD."status" IS DISTINCT FROM (NEW."status") OR OLD."time_zone" IS DISTINCT FROM (NEW."time_zone"))',
                    func='INSERT INTO "instruments_instrumenttrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", CASE WHEN OLD."display_name" IS DISTINCT FROM NEW."display_name" THEN jsonb_build_object(\'display_name\', jsonb_build_array(OLD."display_name", NEW."display_name")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."status" IS DISTINCT FROM NEW."status" THEN jsonb_build_object(\'status\', jsonb_build_array(OLD."status", NEW."status")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."instrument_type" IS DISTINCT FROM NEW."instrument_type" THEN jsonb_build_object(\'instrument_type\', jsonb_build_array(OLD."instrument_type", NEW."instrument_type")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."time_zone" IS DISTINCT FROM NEW."time_zone" THEN jsonb_build_object(\'time_zone\', jsonb_build_array(OLD."time_zone", NEW."time_zone")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="bc796378db60d73ff1f131473a22a0c98308d269",
                    operation='UPDATE OF "display_name", "status", "instrument_type", "time_zone"',
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
                    func='INSERT INTO "instruments_instrumenttrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'delete\', OLD."id", CASE WHEN OLD."display_name" IS NOT NULL THEN jsonb_build_object(\'display_name\', jsonb_build_array(OLD."display_name", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."status" IS NOT NULL THEN jsonb_build_object(\'status\', jsonb_build_array(OLD."status", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."instrument_type" IS NOT NULL THEN jsonb_build_object(\'instrument_type\', jsonb_build_array(OLD."instrument_type", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."time_zone" IS NOT NULL THEN jsonb_build_object(\'time_zone\', jsonb_build_array(OLD."time_zone", NULL)) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="d162696bfc23c9abc2942921981053f1566e4365",
                    operation="DELETE",
                    pgid="pgtrigger_trail_delete_90431",
                    table="instruments_instrument",
                    when="AFTER",
                ),
            ),
        ),
        migrations.AddField(
            model_name="instrumenttrail",
            name="pgh_obj",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="instruments.instrument",
            ),
        ),
        migrations.AddIndex(
            model_name="instrumenttrail",
            index=models.Index(fields=["pgh_obj", "-pgh_id"], name="trail_of_instrument"),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="instrumenttrail",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="76805edc999581752eb64dd722edd7c0a4aca85b",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_3d0d5",
                    table="instruments_instrumenttrail",
                    when="BEFORE",
                ),
            ),
        ),
    ]
