"""The trail of runs, claims and comments."""

import django.db.models.deletion
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0003_trail"),
        ("runs", "0008_unfinished_runs_of_instrument"),
    ]

    operations = [
        migrations.CreateModel(
            name="ClaimTrail",
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
                "verbose_name": "claim change",
                "verbose_name_plural": "claim changes",
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="CommentTrail",
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
                "verbose_name": "comment change",
                "verbose_name_plural": "comment changes",
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="RunTrail",
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
                "verbose_name": "run change",
                "verbose_name_plural": "run changes",
                "abstract": False,
            },
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="claim",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_insert",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "runs_claimtrail" (pgh_created_at, pgh_label, pgh_obj_id, "run_id", changes, pgh_context) SELECT clock_timestamp(), \'insert\', NEW."id", NEW."run_id", CASE WHEN NEW."user_id" IS NOT NULL THEN jsonb_build_object(\'user_id\', jsonb_build_array(NULL, NEW."user_id")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="025ad134e8571d7ff136a108b723e98bddd0fe9b",
                    operation="INSERT",
                    pgid="pgtrigger_trail_insert_41b4a",
                    table="runs_claim",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="claim",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."user_id" IS DISTINCT FROM (NEW."user_id"))',
                    func='INSERT INTO "runs_claimtrail" (pgh_created_at, pgh_label, pgh_obj_id, "run_id", changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", NEW."run_id", CASE WHEN OLD."user_id" IS DISTINCT FROM NEW."user_id" THEN jsonb_build_object(\'user_id\', jsonb_build_array(OLD."user_id", NEW."user_id")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="ba5f7d61aba262364e0e251927d43ddac8d1ccc3",
                    operation='UPDATE OF "user_id"',
                    pgid="pgtrigger_trail_update_01068",
                    table="runs_claim",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="claim",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_delete",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "runs_claimtrail" (pgh_created_at, pgh_label, pgh_obj_id, "run_id", changes, pgh_context) SELECT clock_timestamp(), \'delete\', OLD."id", OLD."run_id", CASE WHEN OLD."user_id" IS NOT NULL THEN jsonb_build_object(\'user_id\', jsonb_build_array(OLD."user_id", NULL)) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="6552277e6ab8c7018e801e7785dc8681898c008d",
                    operation="DELETE",
                    pgid="pgtrigger_trail_delete_f3ed3",
                    table="runs_claim",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="comment",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_insert",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "runs_commenttrail" (pgh_created_at, pgh_label, pgh_obj_id, "run_id", changes, pgh_context) SELECT clock_timestamp(), \'insert\', NEW."id", NEW."run_id", CASE WHEN NEW."body" IS NOT NULL THEN jsonb_build_object(\'body\', jsonb_build_array(NULL, NEW."body")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."deleted_at" IS NOT NULL THEN jsonb_build_object(\'deleted_at\', jsonb_build_array(NULL, to_char(NEW."deleted_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="7f5c41b899b097362fb1487a819751d1929f841b",
                    operation="INSERT",
                    pgid="pgtrigger_trail_insert_18d8c",
                    table="runs_comment",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="comment",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."body" IS DISTINCT FROM (NEW."body") OR OLD."deleted_at" IS DISTINCT FROM (NEW."deleted_at"))',
                    func='INSERT INTO "runs_commenttrail" (pgh_created_at, pgh_label, pgh_obj_id, "run_id", changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", NEW."run_id", CASE WHEN OLD."body" IS DISTINCT FROM NEW."body" THEN jsonb_build_object(\'body\', jsonb_build_array(OLD."body", NEW."body")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."deleted_at" IS DISTINCT FROM NEW."deleted_at" THEN jsonb_build_object(\'deleted_at\', jsonb_build_array(to_char(OLD."deleted_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."deleted_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="7c39f57cd13eb7ae6602e9e9d114bdc65ebfd2f3",
                    operation='UPDATE OF "body", "deleted_at"',
                    pgid="pgtrigger_trail_update_9afd0",
                    table="runs_comment",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="comment",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_delete",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "runs_commenttrail" (pgh_created_at, pgh_label, pgh_obj_id, "run_id", changes, pgh_context) SELECT clock_timestamp(), \'delete\', OLD."id", OLD."run_id", CASE WHEN OLD."body" IS NOT NULL THEN jsonb_build_object(\'body\', jsonb_build_array(OLD."body", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."deleted_at" IS NOT NULL THEN jsonb_build_object(\'deleted_at\', jsonb_build_array(to_char(OLD."deleted_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), NULL)) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="98b9d1af6e4196ba4c0510ea73efd35c865bc25d",
                    operation="DELETE",
                    pgid="pgtrigger_trail_delete_13f4f",
                    table="runs_comment",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="run",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_insert",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="INSERT INTO \"runs_runtrail\" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), 'insert', NEW.\"id\", CASE WHEN NEW.\"run_id\" IS NOT NULL THEN jsonb_build_object('run_id', jsonb_build_array(NULL, NEW.\"run_id\")) ELSE '{}'::jsonb END || CASE WHEN NEW.\"source\" IS NOT NULL THEN jsonb_build_object('source', jsonb_build_array(NULL, NEW.\"source\")) ELSE '{}'::jsonb END || CASE WHEN NEW.\"watcher_id\" IS NOT NULL THEN jsonb_build_object('watcher_id', jsonb_build_array(NULL, NEW.\"watcher_id\")) ELSE '{}'::jsonb END || CASE WHEN NEW.\"acquired_at\" IS NOT NULL THEN jsonb_build_object('acquired_at', jsonb_build_array(NULL, to_char(NEW.\"acquired_at\" AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"'))) ELSE '{}'::jsonb END || CASE WHEN NEW.\"deleted_at\" IS NOT NULL THEN jsonb_build_object('deleted_at', jsonb_build_array(NULL, to_char(NEW.\"deleted_at\" AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"'))) ELSE '{}'::jsonb END || CASE WHEN NEW.\"deleted_by_id\" IS NOT NULL THEN jsonb_build_object('deleted_by_id', jsonb_build_array(NULL, NEW.\"deleted_by_id\")) ELSE '{}'::jsonb END || CASE WHEN NEW.\"deleted_by_token_id\" IS NOT NULL THEN jsonb_build_object('deleted_by_token_id', jsonb_build_array(NULL, NEW.\"deleted_by_token_id\")) ELSE '{}'::jsonb END || CASE WHEN NEW.\"own\" IS NOT NULL THEN ( SELECT COALESCE(jsonb_object_agg('metadata.' || COALESCE(old_key.key, new_key.key), jsonb_build_array(old_key.value, new_key.value)), '{}') FROM jsonb_each('{}'::jsonb) AS old_key FULL JOIN jsonb_each(NEW.\"own\") AS new_key ON old_key.key = new_key.key WHERE old_key.value IS DISTINCT FROM new_key.value) ELSE '{}'::jsonb END, public.trail_context(); RETURN NULL;",
                    hash="d902ada2164626f784d2b6739e3c799611319ff1",
                    operation="INSERT",
                    pgid="pgtrigger_trail_insert_4a948",
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
                    condition='WHEN (OLD."acquired_at" IS DISTINCT FROM (NEW."acquired_at") OR OLD."deleted_at" IS DISTINCT FROM (NEW."deleted_at") OR OLD."deleted_by_id" IS DISTINCT FROM (NEW."deleted_by_id") OR OLD."deleted_by_token_id" IS DISTINCT FROM (NEW."deleted_by_token_id") OR OLD."own" IS DISTINCT FROM (NEW."own") OR OLD."run_id" IS DISTINCT FROM (NEW."run_id") OR OLD."source" IS DISTINCT FROM (NEW."source") OR OLD."watcher_id" IS DISTINCT FROM (NEW."watcher_id"))',
                    func='INSERT INTO "runs_runtrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", CASE WHEN OLD."run_id" IS DISTINCT FROM NEW."run_id" THEN jsonb_build_object(\'run_id\', jsonb_build_array(OLD."run_id", NEW."run_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."source" IS DISTINCT FROM NEW."source" THEN jsonb_build_object(\'source\', jsonb_build_array(OLD."source", NEW."source")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."watcher_id" IS DISTINCT FROM NEW."watcher_id" THEN jsonb_build_object(\'watcher_id\', jsonb_build_array(OLD."watcher_id", NEW."watcher_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."acquired_at" IS DISTINCT FROM NEW."acquired_at" THEN jsonb_build_object(\'acquired_at\', jsonb_build_array(to_char(OLD."acquired_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."acquired_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN OLD."deleted_at" IS DISTINCT FROM NEW."deleted_at" THEN jsonb_build_object(\'deleted_at\', jsonb_build_array(to_char(OLD."deleted_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."deleted_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN OLD."deleted_by_id" IS DISTINCT FROM NEW."deleted_by_id" THEN jsonb_build_object(\'deleted_by_id\', jsonb_build_array(OLD."deleted_by_id", NEW."deleted_by_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."deleted_by_token_id" IS DISTINCT FROM NEW."deleted_by_token_id" THEN jsonb_build_object(\'deleted_by_token_id\', jsonb_build_array(OLD."deleted_by_token_id", NEW."deleted_by_token_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."own" IS DISTINCT FROM NEW."own" THEN ( SELECT COALESCE(jsonb_object_agg(\'metadata.\' || COALESCE(old_key.key, new_key.key), jsonb_build_array(old_key.value, new_key.value)), \'{}\') FROM jsonb_each(OLD."own") AS old_key FULL JOIN jsonb_each(NEW."own") AS new_key ON old_key.key = new_key.key WHERE old_key.value IS DISTINCT FROM new_key.value) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="790ca31c5263a221426043dce1fea2a64ce6d156",
                    operation='UPDATE OF "run_id", "source", "watcher_id", "acquired_at", "deleted_at", "deleted_by_id", "deleted_by_token_id", "own"',
                    pgid="pgtrigger_trail_update_024dd",
                    table="runs_run",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="run",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_delete",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="INSERT INTO \"runs_runtrail\" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), 'delete', OLD.\"id\", CASE WHEN OLD.\"run_id\" IS NOT NULL THEN jsonb_build_object('run_id', jsonb_build_array(OLD.\"run_id\", NULL)) ELSE '{}'::jsonb END || CASE WHEN OLD.\"source\" IS NOT NULL THEN jsonb_build_object('source', jsonb_build_array(OLD.\"source\", NULL)) ELSE '{}'::jsonb END || CASE WHEN OLD.\"watcher_id\" IS NOT NULL THEN jsonb_build_object('watcher_id', jsonb_build_array(OLD.\"watcher_id\", NULL)) ELSE '{}'::jsonb END || CASE WHEN OLD.\"acquired_at\" IS NOT NULL THEN jsonb_build_object('acquired_at', jsonb_build_array(to_char(OLD.\"acquired_at\" AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"'), NULL)) ELSE '{}'::jsonb END || CASE WHEN OLD.\"deleted_at\" IS NOT NULL THEN jsonb_build_object('deleted_at', jsonb_build_array(to_char(OLD.\"deleted_at\" AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"'), NULL)) ELSE '{}'::jsonb END || CASE WHEN OLD.\"deleted_by_id\" IS NOT NULL THEN jsonb_build_object('deleted_by_id', jsonb_build_array(OLD.\"deleted_by_id\", NULL)) ELSE '{}'::jsonb END || CASE WHEN OLD.\"deleted_by_token_id\" IS NOT NULL THEN jsonb_build_object('deleted_by_token_id', jsonb_build_array(OLD.\"deleted_by_token_id\", NULL)) ELSE '{}'::jsonb END || CASE WHEN OLD.\"own\" IS NOT NULL THEN ( SELECT COALESCE(jsonb_object_agg('metadata.' || COALESCE(old_key.key, new_key.key), jsonb_build_array(old_key.value, new_key.value)), '{}') FROM jsonb_each(OLD.\"own\") AS old_key FULL JOIN jsonb_each('{}'::jsonb) AS new_key ON old_key.key = new_key.key WHERE old_key.value IS DISTINCT FROM new_key.value) ELSE '{}'::jsonb END, public.trail_context(); RETURN NULL;",
                    hash="8248a8258c5f38a3d217a3f4db14146389d241d1",
                    operation="DELETE",
                    pgid="pgtrigger_trail_delete_35a78",
                    table="runs_run",
                    when="AFTER",
                ),
            ),
        ),
        migrations.AddField(
            model_name="claimtrail",
            name="pgh_obj",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="runs.claim",
            ),
        ),
        migrations.AddField(
            model_name="claimtrail",
            name="run",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="runs.run",
            ),
        ),
        migrations.AddField(
            model_name="commenttrail",
            name="pgh_obj",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="runs.comment",
            ),
        ),
        migrations.AddField(
            model_name="commenttrail",
            name="run",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="runs.run",
            ),
        ),
        migrations.AddField(
            model_name="runtrail",
            name="pgh_obj",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="runs.run",
            ),
        ),
        migrations.AddIndex(
            model_name="claimtrail",
            index=models.Index(fields=["run", "-pgh_id"], name="trail_of_claim"),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="claimtrail",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="26cb1678d8125bd2c28d47f469867dedcf0322b7",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_2efa7",
                    table="runs_claimtrail",
                    when="BEFORE",
                ),
            ),
        ),
        migrations.AddIndex(
            model_name="commenttrail",
            index=models.Index(fields=["run", "-pgh_id"], name="trail_of_comment"),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="commenttrail",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="0576773f213c03498155a59a4e223539244f3f98",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_bfb1b",
                    table="runs_commenttrail",
                    when="BEFORE",
                ),
            ),
        ),
        migrations.AddIndex(
            model_name="runtrail",
            index=models.Index(fields=["pgh_obj", "-pgh_id"], name="trail_of_run"),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="runtrail",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="b767a141faba5a5685db2e75b4a0a5ff99a75f91",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_9dfa8",
                    table="runs_runtrail",
                    when="BEFORE",
                ),
            ),
        ),
    ]
