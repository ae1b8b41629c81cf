"""Whom comments name, and the templates of links to the laboratory's notebook."""

# online: projects are few

import django.db.models.deletion
import pgtrigger.compiler
import pgtrigger.migrations
from django.conf import settings
from django.db import migrations, models

import wire.clock


class Migration(migrations.Migration):
    dependencies = [
        ("runs", "0023_runs_by_name"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ElnTemplate",
            fields=[
                ("id", models.SmallIntegerField(default=1, editable=False, primary_key=True, serialize=False)),
                ("template", models.CharField(max_length=2000)),
                ("changed_at", models.DateTimeField(default=wire.clock.now, editable=False)),
            ],
            options={
                "verbose_name": "ELN template",
            },
        ),
        migrations.CreateModel(
            name="ElnTemplateTrail",
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
                "verbose_name": "ELN template change",
                "verbose_name_plural": "ELN template changes",
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="Mention",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("created_at", models.DateTimeField(default=wire.clock.now, editable=False)),
            ],
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="project",
            name="trail_update",
        ),
        migrations.AddField(
            model_name="project",
            name="eln_template",
            field=models.CharField(blank=True, max_length=2000, null=True),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="project",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."archived_at" IS DISTINCT FROM (NEW."archived_at") OR OLD."description" IS DISTINCT FROM (NEW."description") OR OLD."eln_template" IS DISTINCT FROM (NEW."eln_template") OR OLD."link" IS DISTINCT FROM (NEW."link") OR OLD."name" IS DISTINCT FROM (NEW."name"))',
                    func='INSERT INTO "runs_projecttrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", CASE WHEN OLD."name" IS DISTINCT FROM NEW."name" THEN jsonb_build_object(\'name\', jsonb_build_array(OLD."name", NEW."name")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."description" IS DISTINCT FROM NEW."description" THEN jsonb_build_object(\'description\', jsonb_build_array(OLD."description", NEW."description")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."link" IS DISTINCT FROM NEW."link" THEN jsonb_build_object(\'link\', jsonb_build_array(OLD."link", NEW."link")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."archived_at" IS DISTINCT FROM NEW."archived_at" THEN jsonb_build_object(\'archived_at\', jsonb_build_array(to_char(OLD."archived_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."archived_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN OLD."eln_template" IS DISTINCT FROM NEW."eln_template" THEN jsonb_build_object(\'eln_template\', jsonb_build_array(OLD."eln_template", NEW."eln_template")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="ae65c601b05f86ee1b9330ab293a9c2c7b5515f6",
                    operation='UPDATE OF "name", "description", "link", "archived_at", "eln_template"',
                    pgid="pgtrigger_trail_update_2b0fd",
                    table="runs_project",
                    when="AFTER",
                ),
            ),
        ),
        migrations.AddConstraint(
            model_name="project",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("eln_template__isnull", True), ("eln_template__regex", "^https?://[^{}/]+/"), _connector="OR"
                ),
                name="project_eln_template_is_an_address",
            ),
        ),
        migrations.AddField(
            model_name="elntemplate",
            name="changed_by",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="elntemplatetrail",
            name="pgh_obj",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="runs.elntemplate",
            ),
        ),
        migrations.AddField(
            model_name="mention",
            name="comment",
            field=models.ForeignKey(
                db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="mentions", to="runs.comment"
            ),
        ),
        migrations.AddField(
            model_name="mention",
            name="user",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddConstraint(
            model_name="elntemplate",
            constraint=models.CheckConstraint(condition=models.Q(("id", 1)), name="one_eln_template"),
        ),
        migrations.AddConstraint(
            model_name="elntemplate",
            constraint=models.CheckConstraint(
                condition=models.Q(("template__regex", "^https?://[^{}/]+/")), name="eln_template_is_an_address"
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="elntemplate",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_insert",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "runs_elntemplatetrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'insert\', NEW."id", CASE WHEN NEW."template" IS NOT NULL THEN jsonb_build_object(\'template\', jsonb_build_array(NULL, NEW."template")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."changed_by_id" IS NOT NULL THEN jsonb_build_object(\'changed_by_id\', jsonb_build_array(NULL, NEW."changed_by_id")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="967ffa1e1fdd02fa3de1223e1df762c029fe4935",
                    operation="INSERT",
                    pgid="pgtrigger_trail_insert_14a11",
                    table="runs_elntemplate",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="elntemplate",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."changed_by_id" IS DISTINCT FROM (NEW."changed_by_id") OR OLD."template" IS DISTINCT FROM (NEW."template"))',
                    func='INSERT INTO "runs_elntemplatetrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", CASE WHEN OLD."template" IS DISTINCT FROM NEW."template" THEN jsonb_build_object(\'template\', jsonb_build_array(OLD."template", NEW."template")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."changed_by_id" IS DISTINCT FROM NEW."changed_by_id" THEN jsonb_build_object(\'changed_by_id\', jsonb_build_array(OLD."changed_by_id", NEW."changed_by_id")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="f80ec04a0ea37d464f00491f07b0b35fba751097",
                    operation='UPDATE OF "template", "changed_by_id"',
                    pgid="pgtrigger_trail_update_b0f01",
                    table="runs_elntemplate",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="elntemplate",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_delete",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "runs_elntemplatetrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'delete\', OLD."id", CASE WHEN OLD."template" IS NOT NULL THEN jsonb_build_object(\'template\', jsonb_build_array(OLD."template", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."changed_by_id" IS NOT NULL THEN jsonb_build_object(\'changed_by_id\', jsonb_build_array(OLD."changed_by_id", NULL)) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="bac56202ad8e753be35967bd0056b0f4d8a29231",
                    operation="DELETE",
                    pgid="pgtrigger_trail_delete_aefc5",
                    table="runs_elntemplate",
                    when="AFTER",
                ),
            ),
        ),
        migrations.AddIndex(
            model_name="elntemplatetrail",
            index=models.Index(fields=["pgh_obj", "-pgh_id"], name="trail_of_elntemplate"),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="elntemplatetrail",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="df471a21c2b2c739607ba1a833b6c96703e98e31",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_b14b5",
                    table="runs_elntemplatetrail",
                    when="BEFORE",
                ),
            ),
        ),
        migrations.AddConstraint(
            model_name="mention",
            constraint=models.UniqueConstraint(fields=("comment", "user"), name="one_mention_per_comment_and_person"),
        ),
    ]
