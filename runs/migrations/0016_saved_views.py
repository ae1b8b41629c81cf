"""Views of the run list that people save."""

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
        ("instruments", "0004_changes_are_recorded"),
        ("runs", "0015_expressions_of_metadata"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="SavedView",
            fields=[
                ("id", models.UUIDField(default=wire.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=80)),
                ("query", models.CharField(blank=True, default="", max_length=2000)),
                ("is_shared", models.BooleanField(default=False)),
                ("created_at", models.DateTimeField(default=wire.clock.now, editable=False)),
                (
                    "instrument",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="instruments.instrument",
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="saved_views",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="SavedViewTrail",
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
                (
                    "pgh_obj",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="runs.savedview",
                    ),
                ),
            ],
            options={
                "verbose_name": "saved view change",
                "verbose_name_plural": "saved view changes",
                "abstract": False,
            },
        ),
        migrations.AddIndex(
            model_name="savedview",
            index=models.Index(
                django.db.models.functions.text.Lower("name"),
                models.F("id"),
                condition=models.Q(("is_shared", True)),
                name="shared_views_by_name",
            ),
        ),
        migrations.AddConstraint(
            model_name="savedview",
            constraint=models.UniqueConstraint(
                models.F("owner"), django.db.models.functions.text.Lower("name"), name="one_view_per_owner_and_name"
            ),
        ),
        migrations.AddConstraint(
            model_name="savedview",
            constraint=models.UniqueConstraint(fields=("instrument",), name="one_default_view_per_instrument"),
        ),
        migrations.AddConstraint(
            model_name="savedview",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    django.db.models.lookups.Range(django.db.models.functions.text.Length("name"), (1, 80))
                ),
                name="view_has_a_name",
            ),
        ),
        migrations.AddConstraint(
            model_name="savedview",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    django.db.models.lookups.Range(django.db.models.functions.text.Length("query"), (0, 2000)),
                    models.Q(("query__startswith", "/"), _negated=True),
                    models.Q(("query__startswith", "?"), _negated=True),
                    models.Q(("query__contains", "://"), _negated=True),
                ),
                name="view_query_is_a_query",
            ),
        ),
        migrations.AddConstraint(
            model_name="savedview",
            constraint=models.CheckConstraint(
                condition=models.Q(("instrument__isnull", True), ("is_shared", True), _connector="OR"),
                name="default_view_is_shared",
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="savedview",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_insert",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "runs_savedviewtrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'insert\', NEW."id", CASE WHEN NEW."owner_id" IS NOT NULL THEN jsonb_build_object(\'owner_id\', jsonb_build_array(NULL, NEW."owner_id")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."name" IS NOT NULL THEN jsonb_build_object(\'name\', jsonb_build_array(NULL, NEW."name")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."query" IS NOT NULL THEN jsonb_build_object(\'query\', jsonb_build_array(NULL, NEW."query")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."is_shared" IS NOT NULL THEN jsonb_build_object(\'is_shared\', jsonb_build_array(NULL, NEW."is_shared")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."instrument_id" IS NOT NULL THEN jsonb_build_object(\'instrument_id\', jsonb_build_array(NULL, NEW."instrument_id")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="b1ff858bf1cd854e237caf94441fcb0ef371c590",
                    operation="INSERT",
                    pgid="pgtrigger_trail_insert_1d8d3",
                    table="runs_savedview",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="savedview",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."instrument_id" IS DISTINCT FROM (NEW."instrument_id") OR OLD."is_shared" IS DISTINCT FROM (NEW."is_shared") OR OLD."name" IS DISTINCT FROM (NEW."name") OR OLD."owner_id" IS DISTINCT FROM (NEW."owner_id") OR OLD."query" IS DISTINCT FROM (NEW."query"))',
                    func='INSERT INTO "runs_savedviewtrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", CASE WHEN OLD."owner_id" IS DISTINCT FROM NEW."owner_id" THEN jsonb_build_object(\'owner_id\', jsonb_build_array(OLD."owner_id", NEW."owner_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."name" IS DISTINCT FROM NEW."name" THEN jsonb_build_object(\'name\', jsonb_build_array(OLD."name", NEW."name")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."query" IS DISTINCT FROM NEW."query" THEN jsonb_build_object(\'query\', jsonb_build_array(OLD."query", NEW."query")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."is_shared" IS DISTINCT FROM NEW."is_shared" THEN jsonb_build_object(\'is_shared\', jsonb_build_array(OLD."is_shared", NEW."is_shared")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."instrument_id" IS DISTINCT FROM NEW."instrument_id" THEN jsonb_build_object(\'instrument_id\', jsonb_build_array(OLD."instrument_id", NEW."instrument_id")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="32910dc99996bf6ac6846754d33b0417661f7209",
                    operation='UPDATE OF "owner_id", "name", "query", "is_shared", "instrument_id"',
                    pgid="pgtrigger_trail_update_9c74a",
                    table="runs_savedview",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="savedview",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_delete",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "runs_savedviewtrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'delete\', OLD."id", CASE WHEN OLD."owner_id" IS NOT NULL THEN jsonb_build_object(\'owner_id\', jsonb_build_array(OLD."owner_id", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."name" IS NOT NULL THEN jsonb_build_object(\'name\', jsonb_build_array(OLD."name", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."query" IS NOT NULL THEN jsonb_build_object(\'query\', jsonb_build_array(OLD."query", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."is_shared" IS NOT NULL THEN jsonb_build_object(\'is_shared\', jsonb_build_array(OLD."is_shared", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."instrument_id" IS NOT NULL THEN jsonb_build_object(\'instrument_id\', jsonb_build_array(OLD."instrument_id", NULL)) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="4f22c1e82d876de1c69b4815e998e388233f145c",
                    operation="DELETE",
                    pgid="pgtrigger_trail_delete_4b6bd",
                    table="runs_savedview",
                    when="AFTER",
                ),
            ),
        ),
        migrations.AddIndex(
            model_name="savedviewtrail",
            index=models.Index(fields=["pgh_obj", "-pgh_id"], name="trail_of_savedview"),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="savedviewtrail",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="7a6308a3e2b3828851a1f3265bf5831c96a966cb",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_12ad1",
                    table="runs_savedviewtrail",
                    when="BEFORE",
                ),
            ),
        ),
    ]
