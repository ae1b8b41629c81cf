"""The trail of what people want to hear."""

import django.db.models.deletion
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0003_trail"),
        ("notifications", "0003_chat_deliveries"),
    ]

    operations = [
        migrations.CreateModel(
            name="FollowTrail",
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
                "verbose_name": "follow change",
                "verbose_name_plural": "follow changes",
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="PreferenceTrail",
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
                "verbose_name": "preference change",
                "verbose_name_plural": "preference changes",
                "abstract": False,
            },
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="follow",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_insert",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "notifications_followtrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'insert\', NEW."id", CASE WHEN NEW."user_id" IS NOT NULL THEN jsonb_build_object(\'user_id\', jsonb_build_array(NULL, NEW."user_id")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."instrument_id" IS NOT NULL THEN jsonb_build_object(\'instrument_id\', jsonb_build_array(NULL, NEW."instrument_id")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="a46e9c2e4e717a68b35769d74a9b8e3f8d292b98",
                    operation="INSERT",
                    pgid="pgtrigger_trail_insert_4ff77",
                    table="notifications_follow",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="follow",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."instrument_id" IS DISTINCT FROM (NEW."instrument_id") OR OLD."user_id" IS DISTINCT FROM (NEW."user_id"))',
                    func='INSERT INTO "notifications_followtrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", CASE WHEN OLD."user_id" IS DISTINCT FROM NEW."user_id" THEN jsonb_build_object(\'user_id\', jsonb_build_array(OLD."user_id", NEW."user_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."instrument_id" IS DISTINCT FROM NEW."instrument_id" THEN jsonb_build_object(\'instrument_id\', jsonb_build_array(OLD."instrument_id", NEW."instrument_id")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="eb3d183b82f6fad6e56ffaad00cc301949952095",
                    operation='UPDATE OF "user_id", "instrument_id"',
                    pgid="pgtrigger_trail_update_e7c65",
                    table="notifications_follow",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="follow",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_delete",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "notifications_followtrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'delete\', OLD."id", CASE WHEN OLD."user_id" IS NOT NULL THEN jsonb_build_object(\'user_id\', jsonb_build_array(OLD."user_id", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."instrument_id" IS NOT NULL THEN jsonb_build_object(\'instrument_id\', jsonb_build_array(OLD."instrument_id", NULL)) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="d566f3173007cdbe479bd961498f8d7c6033e5c6",
                    operation="DELETE",
                    pgid="pgtrigger_trail_delete_60dc7",
                    table="notifications_follow",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="preference",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_insert",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "notifications_preferencetrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'insert\', NEW."id", CASE WHEN NEW."user_id" IS NOT NULL THEN jsonb_build_object(\'user_id\', jsonb_build_array(NULL, NEW."user_id")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."kind" IS NOT NULL THEN jsonb_build_object(\'kind\', jsonb_build_array(NULL, NEW."kind")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."in_app" IS NOT NULL THEN jsonb_build_object(\'in_app\', jsonb_build_array(NULL, NEW."in_app")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."chat" IS NOT NULL THEN jsonb_build_object(\'chat\', jsonb_build_array(NULL, NEW."chat")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="e7d5d84cfab4bff5e5111090f962c089da4a2c5c",
                    operation="INSERT",
                    pgid="pgtrigger_trail_insert_c6011",
                    table="notifications_preference",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="preference",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."chat" IS DISTINCT FROM (NEW."chat") OR OLD."in_app" IS DISTINCT FROM (NEW."in_app") OR OLD."kind" IS DISTINCT FROM (NEW."kind") OR OLD."user_id" IS DISTINCT FROM (NEW."user_id"))',
                    func='INSERT INTO "notifications_preferencetrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", CASE WHEN OLD."user_id" IS DISTINCT FROM NEW."user_id" THEN jsonb_build_object(\'user_id\', jsonb_build_array(OLD."user_id", NEW."user_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."kind" IS DISTINCT FROM NEW."kind" THEN jsonb_build_object(\'kind\', jsonb_build_array(OLD."kind", NEW."kind")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."in_app" IS DISTINCT FROM NEW."in_app" THEN jsonb_build_object(\'in_app\', jsonb_build_array(OLD."in_app", NEW."in_app")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."chat" IS DISTINCT FROM NEW."chat" THEN jsonb_build_object(\'chat\', jsonb_build_array(OLD."chat", NEW."chat")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="aaa6a5da469cb5941158a0ac2c593d6cd5797414",
                    operation='UPDATE OF "user_id", "kind", "in_app", "chat"',
                    pgid="pgtrigger_trail_update_dd547",
                    table="notifications_preference",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="preference",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_delete",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "notifications_preferencetrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'delete\', OLD."id", CASE WHEN OLD."user_id" IS NOT NULL THEN jsonb_build_object(\'user_id\', jsonb_build_array(OLD."user_id", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."kind" IS NOT NULL THEN jsonb_build_object(\'kind\', jsonb_build_array(OLD."kind", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."in_app" IS NOT NULL THEN jsonb_build_object(\'in_app\', jsonb_build_array(OLD."in_app", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."chat" IS NOT NULL THEN jsonb_build_object(\'chat\', jsonb_build_array(OLD."chat", NULL)) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="fc221b7e5d83f27673f2b5dba264bf1a6ee709ef",
                    operation="DELETE",
                    pgid="pgtrigger_trail_delete_4dd0d",
                    table="notifications_preference",
                    when="AFTER",
                ),
            ),
        ),
        migrations.AddField(
            model_name="followtrail",
            name="pgh_obj",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="notifications.follow",
            ),
        ),
        migrations.AddField(
            model_name="preferencetrail",
            name="pgh_obj",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="notifications.preference",
            ),
        ),
        migrations.AddIndex(
            model_name="followtrail",
            index=models.Index(fields=["pgh_obj", "-pgh_id"], name="trail_of_follow"),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="followtrail",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="a010e4b137e854a04af85d5239c3becd5092f0d6",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_6a85f",
                    table="notifications_followtrail",
                    when="BEFORE",
                ),
            ),
        ),
        migrations.AddIndex(
            model_name="preferencetrail",
            index=models.Index(fields=["pgh_obj", "-pgh_id"], name="trail_of_preference"),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="preferencetrail",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="b468daf7580cfb9a02a47133c4444283268a6fdd",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_ac4be",
                    table="notifications_preferencetrail",
                    when="BEFORE",
                ),
            ),
        ),
    ]
