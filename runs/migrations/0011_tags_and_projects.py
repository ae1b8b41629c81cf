"""Projects, and the tags and project of a run."""

# online: both columns may be left out, and a new column that is null everywhere needs no look at the rows for its key

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.text
import django.db.models.lookups
import pgtrigger.compiler
import pgtrigger.migrations
from django.conf import settings
from django.db import migrations, models

import wire.clock
import wire.ids


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0005_idempotent_answers"),
        ("instruments", "0003_expected_files"),
        ("runs", "0010_names_of_columns"),
        ("watchers", "0021_pause_events"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Project",
            fields=[
                ("id", models.UUIDField(default=wire.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=255)),
                ("description", models.TextField(blank=True, default="")),
                ("link", models.CharField(blank=True, max_length=2000, null=True)),
                ("archived_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(default=wire.clock.now, editable=False)),
            ],
        ),
        migrations.CreateModel(
            name="ProjectTrail",
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
                "verbose_name": "project change",
                "verbose_name_plural": "project changes",
                "abstract": False,
            },
        ),
        migrations.AddField(
            model_name="run",
            name="project",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="runs",
                to="runs.project",
            ),
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="run",
            name="touch_run",
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="run",
            name="trail_update",
        ),
        migrations.AddField(
            model_name="run",
            name="tags",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=64), blank=True, db_default=[], default=list, size=None
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="run",
            trigger=pgtrigger.compiler.Trigger(
                name="touch_run",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."acquired_at" IS DISTINCT FROM (NEW."acquired_at") OR OLD."own" IS DISTINCT FROM (NEW."own") OR OLD."deleted_at" IS DISTINCT FROM (NEW."deleted_at") OR OLD."extracted" IS DISTINCT FROM (NEW."extracted") OR OLD."project_id" IS DISTINCT FROM (NEW."project_id") OR OLD."tags" IS DISTINCT FROM (NEW."tags"))',
                    func="\n    UPDATE runs_run AS run SET updated_at = GREATEST(run.updated_at, date_trunc('milliseconds', clock_timestamp())) WHERE id = NEW.id;\n    RETURN NULL;\n",
                    hash="bcb1cc9184e8a7269bb0c22261a7acec857ab789",
                    operation='UPDATE OF "own", "extracted", "acquired_at", "deleted_at", "tags", "project_id"',
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
                    condition='WHEN (OLD."acquired_at" IS DISTINCT FROM (NEW."acquired_at") OR OLD."own" IS DISTINCT FROM (NEW."own") OR OLD."deleted_at" IS DISTINCT FROM (NEW."deleted_at") OR OLD."deleted_by_id" IS DISTINCT FROM (NEW."deleted_by_id") OR OLD."deleted_by_token_id" IS DISTINCT FROM (NEW."deleted_by_token_id") OR OLD."project_id" IS DISTINCT FROM (NEW."project_id") OR OLD."run_id" IS DISTINCT FROM (NEW."run_id") OR OLD."source" IS DISTINCT FROM (NEW."source") OR OLD."tags" IS DISTINCT FROM (NEW."tags") OR OLD."watcher_id" IS DISTINCT FROM (NEW."watcher_id"))',
                    func='INSERT INTO "runs_runtrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", CASE WHEN OLD."run_id" IS DISTINCT FROM NEW."run_id" THEN jsonb_build_object(\'run_id\', jsonb_build_array(OLD."run_id", NEW."run_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."source" IS DISTINCT FROM NEW."source" THEN jsonb_build_object(\'source\', jsonb_build_array(OLD."source", NEW."source")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."watcher_id" IS DISTINCT FROM NEW."watcher_id" THEN jsonb_build_object(\'watcher_id\', jsonb_build_array(OLD."watcher_id", NEW."watcher_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."acquired_at" IS DISTINCT FROM NEW."acquired_at" THEN jsonb_build_object(\'acquired_at\', jsonb_build_array(to_char(OLD."acquired_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."acquired_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN OLD."deleted_at" IS DISTINCT FROM NEW."deleted_at" THEN jsonb_build_object(\'deleted_at\', jsonb_build_array(to_char(OLD."deleted_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."deleted_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN OLD."deleted_by_id" IS DISTINCT FROM NEW."deleted_by_id" THEN jsonb_build_object(\'deleted_by_id\', jsonb_build_array(OLD."deleted_by_id", NEW."deleted_by_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."deleted_by_token_id" IS DISTINCT FROM NEW."deleted_by_token_id" THEN jsonb_build_object(\'deleted_by_token_id\', jsonb_build_array(OLD."deleted_by_token_id", NEW."deleted_by_token_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."tags" IS DISTINCT FROM NEW."tags" THEN jsonb_build_object(\'tags\', jsonb_build_array(OLD."tags", NEW."tags")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."project_id" IS DISTINCT FROM NEW."project_id" THEN jsonb_build_object(\'project_id\', jsonb_build_array(OLD."project_id", NEW."project_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."own" IS DISTINCT FROM NEW."own" THEN ( SELECT COALESCE(jsonb_object_agg(\'metadata.\' || COALESCE(old_key.key, new_key.key), jsonb_build_array(old_key.value, new_key.value)), \'{}\') FROM jsonb_each(OLD."own") AS old_key FULL JOIN jsonb_each(NEW."own") AS new_key ON old_key.key = new_key.key WHERE old_key.value IS DISTINCT FROM new_key.value) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="df038cca242bb9a4828348a12df6a94e45b7059b",
                    operation='UPDATE OF "run_id", "source", "watcher_id", "acquired_at", "deleted_at", "deleted_by_id", "deleted_by_token_id", "tags", "project_id", "own"',
                    pgid="pgtrigger_trail_update_024dd",
                    table="runs_run",
                    when="AFTER",
                ),
            ),
        ),
        migrations.AddConstraint(
            model_name="project",
            constraint=models.UniqueConstraint(
                django.db.models.functions.text.Lower("name"), name="one_project_per_name"
            ),
        ),
        migrations.AddConstraint(
            model_name="project",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    django.db.models.lookups.Range(django.db.models.functions.text.Length("name"), (1, 255))
                ),
                name="project_has_a_name",
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="project",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_insert",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "runs_projecttrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'insert\', NEW."id", CASE WHEN NEW."name" IS NOT NULL THEN jsonb_build_object(\'name\', jsonb_build_array(NULL, NEW."name")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."description" IS NOT NULL THEN jsonb_build_object(\'description\', jsonb_build_array(NULL, NEW."description")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."link" IS NOT NULL THEN jsonb_build_object(\'link\', jsonb_build_array(NULL, NEW."link")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."archived_at" IS NOT NULL THEN jsonb_build_object(\'archived_at\', jsonb_build_array(NULL, to_char(NEW."archived_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="81ec97cba529cd8dfccf849788411e55882eddbf",
                    operation="INSERT",
                    pgid="pgtrigger_trail_insert_7cbd6",
                    table="runs_project",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="project",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."archived_at" IS DISTINCT FROM (NEW."archived_at") OR OLD."description" IS DISTINCT FROM (NEW."description") OR OLD."link" IS DISTINCT FROM (NEW."link") OR OLD."name" IS DISTINCT FROM (NEW."name"))',
                    func='INSERT INTO "runs_projecttrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", CASE WHEN OLD."name" IS DISTINCT FROM NEW."name" THEN jsonb_build_object(\'name\', jsonb_build_array(OLD."name", NEW."name")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."description" IS DISTINCT FROM NEW."description" THEN jsonb_build_object(\'description\', jsonb_build_array(OLD."description", NEW."description")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."link" IS DISTINCT FROM NEW."link" THEN jsonb_build_object(\'link\', jsonb_build_array(OLD."link", NEW."link")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."archived_at" IS DISTINCT FROM NEW."archived_at" THEN jsonb_build_object(\'archived_at\', jsonb_build_array(to_char(OLD."archived_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."archived_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="979e72bf63016f7e6dd00beeed157ed7c4b70921",
                    operation='UPDATE OF "name", "description", "link", "archived_at"',
                    pgid="pgtrigger_trail_update_2b0fd",
                    table="runs_project",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="project",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_delete",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "runs_projecttrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'delete\', OLD."id", CASE WHEN OLD."name" IS NOT NULL THEN jsonb_build_object(\'name\', jsonb_build_array(OLD."name", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."description" IS NOT NULL THEN jsonb_build_object(\'description\', jsonb_build_array(OLD."description", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."link" IS NOT NULL THEN jsonb_build_object(\'link\', jsonb_build_array(OLD."link", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."archived_at" IS NOT NULL THEN jsonb_build_object(\'archived_at\', jsonb_build_array(to_char(OLD."archived_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), NULL)) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="f8599e012fb870b6e8d4e6c7e2e3001d710d5bb3",
                    operation="DELETE",
                    pgid="pgtrigger_trail_delete_01584",
                    table="runs_project",
                    when="AFTER",
                ),
            ),
        ),
        migrations.AddField(
            model_name="projecttrail",
            name="pgh_obj",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="runs.project",
            ),
        ),
        migrations.AddIndex(
            model_name="projecttrail",
            index=models.Index(fields=["pgh_obj", "-pgh_id"], name="trail_of_project"),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="projecttrail",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="d01806337b606e8e599c1d9273fefbed7a32d5f2",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_3d835",
                    table="runs_projecttrail",
                    when="BEFORE",
                ),
            ),
        ),
    ]
