"""Holds: what keeps runs from being deleted and purged."""

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
        ("runs", "0016_saved_views"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Hold",
            fields=[
                ("id", models.UUIDField(default=wire.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ("reason", models.CharField(max_length=1000)),
                ("placed_at", models.DateTimeField(default=wire.clock.now, editable=False)),
            ],
        ),
        migrations.CreateModel(
            name="HoldTrail",
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
                "verbose_name": "hold change",
                "verbose_name_plural": "hold changes",
                "abstract": False,
            },
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="run",
            trigger=pgtrigger.compiler.Trigger(
                name="keep_held_runs",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN ((OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL) OR (OLD.project_id IS NOT NULL AND OLD.project_id IS DISTINCT FROM NEW.project_id))",
                    func="\n    PERFORM 1 FROM runs_project WHERE id = OLD.project_id FOR SHARE;\n    IF EXISTS (SELECT 1 FROM runs_hold AS hold WHERE hold.project_id = OLD.project_id\n                  OR (hold.run_id = OLD.id AND OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL)) THEN\n        RAISE EXCEPTION 'the run is on hold' USING ERRCODE = 'check_violation', CONSTRAINT = 'held_runs_stay';\n    END IF;\n    RETURN NEW;\n",
                    hash="c9251aca1be5fc31ffeb2c1881e1f1e9ad11cda7",
                    operation='UPDATE OF "deleted_at", "project_id"',
                    pgid="pgtrigger_keep_held_runs_02eeb",
                    table="runs_run",
                    when="BEFORE",
                ),
            ),
        ),
        migrations.AddField(
            model_name="hold",
            name="placed_by",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="hold",
            name="project",
            field=models.OneToOneField(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="hold",
                to="runs.project",
            ),
        ),
        migrations.AddField(
            model_name="hold",
            name="run",
            field=models.OneToOneField(
                blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name="hold", to="runs.run"
            ),
        ),
        migrations.AddField(
            model_name="holdtrail",
            name="pgh_obj",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="runs.hold",
            ),
        ),
        migrations.AddConstraint(
            model_name="hold",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("project__isnull", True), ("run__isnull", False)),
                    models.Q(("project__isnull", False), ("run__isnull", True)),
                    _connector="OR",
                ),
                name="hold_is_on_a_run_or_a_project",
            ),
        ),
        migrations.AddConstraint(
            model_name="hold",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    django.db.models.lookups.Range(django.db.models.functions.text.Length("reason"), (1, 1000))
                ),
                name="hold_has_a_reason",
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="hold",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_insert",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "runs_holdtrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'insert\', NEW."id", CASE WHEN NEW."run_id" IS NOT NULL THEN jsonb_build_object(\'run_id\', jsonb_build_array(NULL, NEW."run_id")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."project_id" IS NOT NULL THEN jsonb_build_object(\'project_id\', jsonb_build_array(NULL, NEW."project_id")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."reason" IS NOT NULL THEN jsonb_build_object(\'reason\', jsonb_build_array(NULL, NEW."reason")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."placed_by_id" IS NOT NULL THEN jsonb_build_object(\'placed_by_id\', jsonb_build_array(NULL, NEW."placed_by_id")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="d95d327e9a55696e5a61d6420af84402c93740fe",
                    operation="INSERT",
                    pgid="pgtrigger_trail_insert_51d18",
                    table="runs_hold",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="hold",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."placed_by_id" IS DISTINCT FROM (NEW."placed_by_id") OR OLD."project_id" IS DISTINCT FROM (NEW."project_id") OR OLD."reason" IS DISTINCT FROM (NEW."reason") OR OLD."run_id" IS DISTINCT FROM (NEW."run_id"))',
                    func='INSERT INTO "runs_holdtrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", CASE WHEN OLD."run_id" IS DISTINCT FROM NEW."run_id" THEN jsonb_build_object(\'run_id\', jsonb_build_array(OLD."run_id", NEW."run_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."project_id" IS DISTINCT FROM NEW."project_id" THEN jsonb_build_object(\'project_id\', jsonb_build_array(OLD."project_id", NEW."project_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."reason" IS DISTINCT FROM NEW."reason" THEN jsonb_build_object(\'reason\', jsonb_build_array(OLD."reason", NEW."reason")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."placed_by_id" IS DISTINCT FROM NEW."placed_by_id" THEN jsonb_build_object(\'placed_by_id\', jsonb_build_array(OLD."placed_by_id", NEW."placed_by_id")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="6e557384cf39a0b73981d49582c0dfe97cea524f",
                    operation='UPDATE OF "run_id", "project_id", "reason", "placed_by_id"',
                    pgid="pgtrigger_trail_update_597a4",
                    table="runs_hold",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="hold",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_delete",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "runs_holdtrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'delete\', OLD."id", CASE WHEN OLD."run_id" IS NOT NULL THEN jsonb_build_object(\'run_id\', jsonb_build_array(OLD."run_id", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."project_id" IS NOT NULL THEN jsonb_build_object(\'project_id\', jsonb_build_array(OLD."project_id", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."reason" IS NOT NULL THEN jsonb_build_object(\'reason\', jsonb_build_array(OLD."reason", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."placed_by_id" IS NOT NULL THEN jsonb_build_object(\'placed_by_id\', jsonb_build_array(OLD."placed_by_id", NULL)) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="00df59c6586c0eded694f61546afdb3c3cd4cf29",
                    operation="DELETE",
                    pgid="pgtrigger_trail_delete_cc187",
                    table="runs_hold",
                    when="AFTER",
                ),
            ),
        ),
        migrations.AddIndex(
            model_name="holdtrail",
            index=models.Index(fields=["pgh_obj", "-pgh_id"], name="trail_of_hold"),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="holdtrail",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="344b1202a08ea803d0f2c4a2f984072c23adee28",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_8fc9e",
                    table="runs_holdtrail",
                    when="BEFORE",
                ),
            ),
        ),
    ]
