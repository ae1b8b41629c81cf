# online: on a database that has tables already, nothing is run
import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.db.models.deletion
import django.db.models.expressions
import django.db.models.functions.comparison
import django.db.models.functions.text
import django.db.models.lookups
import pgtrigger.compiler
import pgtrigger.migrations
from django.conf import settings
from django.contrib.postgres.operations import TrigramExtension
from django.db import migrations, models

import runs.metadata_terms
import wire.clock
import wire.columns
import wire.ids

# Top-level keys of a plain form only, or a key such as `a=b` would forge a term; scalars and members of arrays, as
# stored text. A long value enters as its hash behind `#`, a character no key can hold, so that it is no text value.
CREATE_TERMS = """
CREATE FUNCTION public.run_terms(metadata jsonb) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT AS $$
    SELECT COALESCE(array_agg(
        CASE WHEN length(word) <= 255
            THEN key || '=' || word
            ELSE key || '#' || encode(sha256(convert_to(word, 'UTF8')), 'hex')
        END), '{}')
    FROM (
        SELECT key, value #>> '{}' AS word
        FROM jsonb_each(CASE jsonb_typeof(metadata) WHEN 'object' THEN metadata ELSE '{}' END)
        WHERE jsonb_typeof(value) IN ('string', 'number', 'boolean')
        UNION
        SELECT key, member #>> '{}'
        FROM jsonb_each(CASE jsonb_typeof(metadata) WHEN 'object' THEN metadata ELSE '{}' END),
             jsonb_array_elements(CASE jsonb_typeof(value) WHEN 'array' THEN value ELSE '[]' END) AS member
        WHERE jsonb_typeof(member) IN ('string', 'number', 'boolean')
    ) AS entry
    WHERE key ~ '^[A-Za-z0-9_.-]+$' AND length(key) <= 64
$$
"""
CREATE_WORDS = """
CREATE FUNCTION public.run_words(metadata jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT AS $$
    SELECT COALESCE(string_agg(value #>> '{}', E'\\n'), '')
    FROM jsonb_path_query(metadata, 'strict $.** ? (@.type() == "string" || @.type() == "number")') AS value
$$
"""
# Room on the page, so that a file change stays HOT; frequent vacuuming, so that index-only counts find the visibility map.
SETTINGS = "fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05"


class Migration(migrations.Migration):
    """What the migrations that it replaces make one after the other, in one step: a new database starts with it."""

    replaces = [
        ("runs", "0001_run_terms"),
        ("runs", "0002_runs_claims_comments"),
        ("runs", "0003_storage"),
        ("runs", "0004_search_by_name"),
        ("runs", "0005_searched_run_id"),
        ("runs", "0006_quick_checks"),
        ("runs", "0007_quick_terms"),
        ("runs", "0008_unfinished_runs_of_instrument"),
        ("runs", "0009_trail"),
        ("runs", "0010_names_of_columns"),
        ("runs", "0011_tags_and_projects"),
        ("runs", "0012_indexes_of_tags_and_projects"),
        ("runs", "0013_words_of_metadata"),
        ("runs", "0014_changes_are_recorded"),
        ("runs", "0015_expressions_of_metadata"),
    ]

    initial = True

    dependencies = [
        ("accounts", "0003_trail"),
        ("accounts", "__first__"),
        ("changes", "0001_log_and_webhooks"),
        ("instruments", "0001_squashed_0004_changes_are_recorded"),
        ("watchers", "0001_squashed_0023_changes_are_recorded"),
    ]

    operations = [
        TrigramExtension(),
        migrations.RunSQL(CREATE_TERMS, "DROP FUNCTION public.run_terms(jsonb)"),
        migrations.RunSQL(CREATE_WORDS, "DROP FUNCTION public.run_words"),
        migrations.CreateModel(
            name="Claim",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("claimed_at", models.DateTimeField(default=wire.clock.now, editable=False)),
                (
                    "user",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="claims",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Comment",
            fields=[
                ("id", models.UUIDField(default=wire.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ("body", models.TextField()),
                ("created_at", models.DateTimeField(default=wire.clock.now, editable=False)),
                ("edited_at", models.DateTimeField(editable=False, null=True)),
                ("deleted_at", models.DateTimeField(blank=True, null=True)),
                (
                    "token",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="comments",
                        to="accounts.token",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="comments",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
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
            options={
                "constraints": [
                    models.UniqueConstraint(django.db.models.functions.text.Lower("name"), name="one_project_per_name"),
                    models.CheckConstraint(
                        condition=models.Q(
                            django.db.models.lookups.Range(django.db.models.functions.text.Length("name"), (1, 255))
                        ),
                        name="project_has_a_name",
                    ),
                ],
            },
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
                (
                    "pgh_obj",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="runs.project",
                    ),
                ),
            ],
            options={
                "verbose_name": "project change",
                "verbose_name_plural": "project changes",
                "abstract": False,
                "indexes": [models.Index(fields=["pgh_obj", "-pgh_id"], name="trail_of_project")],
            },
        ),
        migrations.CreateModel(
            name="Run",
            fields=[
                ("id", models.UUIDField(default=wire.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ("run_id", models.CharField(db_collation="C", max_length=255)),
                (
                    "source",
                    models.CharField(
                        choices=[("watcher", "Watcher"), ("worker", "Worker"), ("script", "Script")],
                        default="script",
                        max_length=7,
                    ),
                ),
                ("caller_metadata", models.JSONField(blank=True, db_column="own", default=dict)),
                ("extracted", models.JSONField(blank=True, default=dict)),
                (
                    "metadata",
                    models.GeneratedField(
                        db_persist=True,
                        expression=django.db.models.expressions.CombinedExpression(
                            models.F("extracted"), "||", models.F("caller_metadata"), output_field=models.JSONField()
                        ),
                        output_field=models.JSONField(),
                    ),
                ),
                (
                    "terms",
                    models.GeneratedField(
                        db_persist=True,
                        expression=models.Func(
                            django.db.models.expressions.CombinedExpression(
                                models.F("extracted"),
                                "||",
                                models.F("caller_metadata"),
                                output_field=models.JSONField(),
                            ),
                            function="public.run_terms",
                        ),
                        output_field=django.contrib.postgres.fields.ArrayField(
                            base_field=models.TextField(), size=None
                        ),
                    ),
                ),
                (
                    "tags",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=64), blank=True, db_default=[], default=list, size=None
                    ),
                ),
                ("acquired_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(default=wire.clock.now, editable=False)),
                ("updated_at", models.DateTimeField(default=wire.clock.now, editable=False)),
                (
                    "search_key",
                    models.GeneratedField(
                        db_persist=True,
                        expression=django.db.models.functions.text.Upper(wire.columns.Searchable("run_id")),
                        output_field=models.TextField(),
                    ),
                ),
                (
                    "happened_at",
                    models.GeneratedField(
                        db_persist=True,
                        expression=django.db.models.functions.comparison.Coalesce("acquired_at", "created_at"),
                        output_field=models.DateTimeField(),
                    ),
                ),
                ("deleted_at", models.DateTimeField(blank=True, null=True)),
                ("file_count", models.IntegerField(default=0, editable=False)),
                ("total_size_bytes", models.BigIntegerField(default=0, editable=False)),
                ("n_failed", models.IntegerField(default=0, editable=False)),
                ("n_pending", models.IntegerField(default=0, editable=False)),
                ("n_uploaded", models.IntegerField(default=0, editable=False)),
                ("n_processing", models.IntegerField(default=0, editable=False)),
                ("n_completed", models.IntegerField(default=0, editable=False)),
                ("processing_since", models.DateTimeField(editable=False, null=True)),
                ("comment_count", models.IntegerField(default=0, editable=False)),
                ("claim_count", models.IntegerField(default=0, editable=False)),
                (
                    "status",
                    models.GeneratedField(
                        db_persist=True,
                        expression=models.Case(
                            models.When(n_failed__gt=0, then=models.Value("failed")),
                            models.When(n_pending__gt=0, then=models.Value("pending_upload")),
                            models.When(n_uploaded__gt=0, then=models.Value("uploaded")),
                            models.When(n_processing__gt=0, then=models.Value("processing")),
                            models.When(n_completed__gt=0, then=models.Value("completed")),
                            default=models.Value("empty"),
                        ),
                        output_field=models.CharField(
                            choices=[
                                ("failed", "Failed"),
                                ("stalled", "Stalled"),
                                ("pending_upload", "Pending Upload"),
                                ("uploaded", "Uploaded"),
                                ("processing", "Processing"),
                                ("completed", "Completed"),
                                ("empty", "Empty"),
                            ],
                            max_length=14,
                        ),
                    ),
                ),
                (
                    "deleted_by",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "deleted_by_token",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="accounts.token",
                    ),
                ),
                (
                    "instrument",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="runs",
                        to="instruments.instrument",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="runs",
                        to="runs.project",
                    ),
                ),
                (
                    "watcher",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="runs",
                        to="watchers.watcher",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("instrument", "run_id"), name="one_run_per_instrument_and_run_id"),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("run_id__regex", "[/\\\\[:cntrl:]]"), _negated=True),
                            models.Q(("run_id__in", ["", ".", ".."]), _negated=True),
                            models.Q(("run_id__startswith", " "), _negated=True),
                            models.Q(("run_id__endswith", " "), _negated=True),
                        ),
                        name="run_id_is_a_path_segment",
                    ),
                    models.CheckConstraint(condition=models.Q(("tags__len__lte", 30)), name="run_has_few_tags"),
                    models.CheckConstraint(
                        condition=models.Q(("source__in", ["watcher", "worker", "script"])), name="run_source_is_known"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            django.db.models.lookups.Exact(
                                models.Func(
                                    models.F("caller_metadata"),
                                    function="jsonb_typeof",
                                    output_field=models.TextField(),
                                ),
                                "object",
                            )
                        ),
                        name="run_own_is_an_object",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            django.db.models.lookups.Exact(
                                models.Func(
                                    models.F("extracted"), function="jsonb_typeof", output_field=models.TextField()
                                ),
                                "object",
                            )
                        ),
                        name="run_extracted_is_an_object",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("deleted_at__isnull", True),
                                ("deleted_by__isnull", True),
                                ("deleted_by_token__isnull", True),
                            ),
                            models.Q(
                                ("deleted_at__isnull", False),
                                models.Q(
                                    models.Q(("deleted_by__isnull", False), ("deleted_by_token__isnull", True)),
                                    models.Q(("deleted_by__isnull", True), ("deleted_by_token__isnull", False)),
                                    _connector="OR",
                                ),
                            ),
                            _connector="OR",
                        ),
                        name="run_is_deleted_by_somebody",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("claim_count__gte", 0),
                            ("comment_count__gte", 0),
                            ("file_count__gte", 0),
                            ("n_completed__gte", 0),
                            ("n_failed__gte", 0),
                            ("n_pending__gte", 0),
                            ("n_processing__gte", 0),
                            ("n_uploaded__gte", 0),
                            ("total_size_bytes__gte", 0),
                        ),
                        name="run_counts_are_not_negative",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "file_count",
                                django.db.models.expressions.CombinedExpression(
                                    django.db.models.expressions.CombinedExpression(
                                        django.db.models.expressions.CombinedExpression(
                                            django.db.models.expressions.CombinedExpression(
                                                models.F("n_failed"), "+", models.F("n_pending")
                                            ),
                                            "+",
                                            models.F("n_uploaded"),
                                        ),
                                        "+",
                                        models.F("n_processing"),
                                    ),
                                    "+",
                                    models.F("n_completed"),
                                ),
                            )
                        ),
                        name="run_counts_add_up",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("n_processing", 0), ("processing_since__isnull", True)),
                            models.Q(("n_processing__gt", 0), ("processing_since__isnull", False)),
                            _connector="OR",
                        ),
                        name="run_processing_has_a_beginning",
                    ),
                ],
                "indexes": [
                    models.Index(
                        condition=models.Q(("deleted_at__isnull", True)),
                        fields=["-happened_at", "-id"],
                        name="runs_by_time",
                    ),
                    models.Index(
                        condition=models.Q(("deleted_at__isnull", True)),
                        fields=["instrument", "-happened_at", "-id"],
                        name="runs_of_instrument_by_time",
                    ),
                    models.Index(
                        condition=models.Q(("deleted_at__isnull", True)),
                        fields=["-created_at", "-id"],
                        name="runs_by_creation",
                    ),
                    models.Index(
                        condition=models.Q(
                            ("deleted_at__isnull", True), models.Q(("status", "completed"), _negated=True)
                        ),
                        fields=["status", "-happened_at", "-id"],
                        include=("instrument",),
                        name="unfinished_runs_by_time",
                    ),
                    models.Index(
                        condition=models.Q(("claim_count", 0), ("deleted_at__isnull", True)),
                        fields=["-happened_at", "-id"],
                        name="unattributed_runs_by_time",
                    ),
                    models.Index(
                        condition=models.Q(("processing_since__isnull", False)),
                        fields=["processing_since"],
                        name="processing_runs",
                    ),
                    django.contrib.postgres.indexes.GinIndex(fields=["terms"], name="runs_by_term"),
                    django.contrib.postgres.indexes.GinIndex(
                        django.contrib.postgres.indexes.OpClass(
                            django.db.models.functions.text.Upper(
                                wire.columns.Searchable(runs.metadata_terms.MetadataWords())
                            ),
                            name="gin_trgm_ops",
                        ),
                        name="runs_by_part_of_metadata",
                    ),
                    django.contrib.postgres.indexes.GinIndex(fields=["tags"], name="runs_by_tag"),
                    models.Index(
                        condition=models.Q(("deleted_at__isnull", True), ("project__isnull", False)),
                        fields=["project", "-happened_at", "-id"],
                        name="runs_of_project_by_time",
                    ),
                    django.contrib.postgres.indexes.GinIndex(
                        django.contrib.postgres.indexes.OpClass("search_key", name="gin_trgm_ops"),
                        name="runs_by_part_of_run_id",
                    ),
                ],
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
                (
                    "pgh_obj",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="runs.comment",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="runs.run",
                    ),
                ),
            ],
            options={
                "verbose_name": "comment change",
                "verbose_name_plural": "comment changes",
                "abstract": False,
                "indexes": [models.Index(fields=["run", "-pgh_id"], name="trail_of_comment")],
            },
        ),
        migrations.AddField(
            model_name="comment",
            name="run",
            field=models.ForeignKey(
                db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="comments", to="runs.run"
            ),
        ),
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
                (
                    "pgh_obj",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="runs.claim",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="runs.run",
                    ),
                ),
            ],
            options={
                "verbose_name": "claim change",
                "verbose_name_plural": "claim changes",
                "abstract": False,
                "indexes": [models.Index(fields=["run", "-pgh_id"], name="trail_of_claim")],
            },
        ),
        migrations.AddField(
            model_name="claim",
            name="run",
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="claims", to="runs.run"),
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
                (
                    "pgh_obj",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="runs.run",
                    ),
                ),
            ],
            options={
                "verbose_name": "run change",
                "verbose_name_plural": "run changes",
                "abstract": False,
                "indexes": [models.Index(fields=["pgh_obj", "-pgh_id"], name="trail_of_run")],
            },
        ),
        migrations.AddConstraint(
            model_name="comment",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("token__isnull", True), ("user__isnull", False)),
                    models.Q(("token__isnull", False), ("user__isnull", True)),
                    _connector="OR",
                ),
                name="comment_has_one_author",
            ),
        ),
        migrations.AddConstraint(
            model_name="comment",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    django.db.models.lookups.Range(django.db.models.functions.text.Length("body"), (1, 10000))
                ),
                name="comment_body_length",
            ),
        ),
        migrations.AddConstraint(
            model_name="claim",
            constraint=models.UniqueConstraint(fields=("user", "run"), name="one_claim_per_person_and_run"),
        ),
        migrations.AddIndex(
            model_name="comment",
            index=models.Index(
                condition=models.Q(("deleted_at__isnull", True)),
                fields=["run", "created_at", "id"],
                name="comments_of_run_by_age",
            ),
        ),
        migrations.AddIndex(
            model_name="comment",
            index=django.contrib.postgres.indexes.GinIndex(
                django.contrib.postgres.indexes.OpClass(
                    django.db.models.functions.text.Upper(wire.columns.Searchable("body")), name="gin_trgm_ops"
                ),
                name="comments_by_part_of_body",
            ),
        ),
        migrations.RunSQL(f"ALTER TABLE runs_run SET ({SETTINGS})", migrations.RunSQL.noop),
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
        pgtrigger.migrations.AddTrigger(
            model_name="run",
            trigger=pgtrigger.compiler.Trigger(
                name="count_new_runs",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="\n    PERFORM 1 FROM instruments_instrument\n      WHERE id IN (SELECT instrument_id FROM (SELECT 1 AS step, new_rows.* FROM new_rows) AS touched) ORDER BY id FOR NO KEY UPDATE;\n    UPDATE instruments_instrument AS instrument SET run_count = run_count + change.runs\n      FROM (SELECT instrument_id, SUM(step) AS runs FROM (SELECT 1 AS step, new_rows.* FROM new_rows) AS touched\n             WHERE deleted_at IS NULL GROUP BY instrument_id) AS change\n     WHERE instrument.id = change.instrument_id;\n    RETURN NULL;\n",
                    hash="352a989b217532eacc36af1bb394a1d8aff9ee96",
                    level="STATEMENT",
                    operation="INSERT",
                    pgid="pgtrigger_count_new_runs_49a09",
                    referencing="REFERENCING NEW TABLE AS new_rows ",
                    table="runs_run",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="run",
            trigger=pgtrigger.compiler.Trigger(
                name="count_gone_runs",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="\n    PERFORM 1 FROM instruments_instrument\n      WHERE id IN (SELECT instrument_id FROM (SELECT -1 AS step, old_rows.* FROM old_rows) AS touched) ORDER BY id FOR NO KEY UPDATE;\n    UPDATE instruments_instrument AS instrument SET run_count = run_count + change.runs\n      FROM (SELECT instrument_id, SUM(step) AS runs FROM (SELECT -1 AS step, old_rows.* FROM old_rows) AS touched\n             WHERE deleted_at IS NULL GROUP BY instrument_id) AS change\n     WHERE instrument.id = change.instrument_id;\n    RETURN NULL;\n",
                    hash="0a98f085ecf65c72404dde427212e9a99f8ca946",
                    level="STATEMENT",
                    operation="DELETE",
                    pgid="pgtrigger_count_gone_runs_d2a99",
                    referencing="REFERENCING OLD TABLE AS old_rows ",
                    table="runs_run",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="run",
            trigger=pgtrigger.compiler.Trigger(
                name="count_run_again",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN ((OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL))",
                    func="\n    UPDATE instruments_instrument\n       SET run_count = run_count + CASE WHEN NEW.deleted_at IS NULL THEN 1 ELSE -1 END\n     WHERE id = NEW.instrument_id;\n    RETURN NULL;\n",
                    hash="cdb3286a4258cdec8415187b2793c0faf6ad2418",
                    operation='UPDATE OF "deleted_at"',
                    pgid="pgtrigger_count_run_again_49fe3",
                    table="runs_run",
                    when="AFTER",
                ),
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
                name="record_new_run",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    constraint="CONSTRAINT",
                    func="PERFORM public.record_change('run.created', NEW.instrument_id, NEW.run_id, NULL, NULL, NULL, NULL);\n    RETURN NULL;",
                    hash="ff157f99ef1c722dd2d3e4f2a835b99eaf711160",
                    operation="INSERT",
                    pgid="pgtrigger_record_new_run_7d8de",
                    table="runs_run",
                    timing="DEFERRABLE INITIALLY DEFERRED",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="run",
            trigger=pgtrigger.compiler.Trigger(
                name="record_status_of_run",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN (OLD.status IS DISTINCT FROM NEW.status AND NEW.status IN ('completed', 'failed'))",
                    constraint="CONSTRAINT",
                    func="PERFORM public.record_change('run.' || NEW.status, NEW.instrument_id, NEW.run_id, NULL, NULL, NULL, NULL);\n    RETURN NULL;",
                    hash="af3b9a7226aeb9ebfd18ed139e1d3243e4c51685",
                    operation='UPDATE OF "status"',
                    pgid="pgtrigger_record_status_of_run_43219",
                    table="runs_run",
                    timing="DEFERRABLE INITIALLY DEFERRED",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="run",
            trigger=pgtrigger.compiler.Trigger(
                name="record_deletion_of_run",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN ((OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL))",
                    constraint="CONSTRAINT",
                    func="PERFORM public.record_change(CASE WHEN NEW.deleted_at IS NULL THEN 'run.restored' ELSE 'run.deleted' END, NEW.instrument_id, NEW.run_id, NULL, NULL, NULL, NULL);\n    RETURN NULL;",
                    hash="8bc6bd5eba0ff7e283ae7d974456293685400fb4",
                    operation='UPDATE OF "deleted_at"',
                    pgid="pgtrigger_record_deletion_of_run_55775",
                    table="runs_run",
                    timing="DEFERRABLE INITIALLY DEFERRED",
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
        pgtrigger.migrations.AddTrigger(
            model_name="comment",
            trigger=pgtrigger.compiler.Trigger(
                name="count_new_comments",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="\n    PERFORM 1 FROM runs_run WHERE id IN (SELECT run_id FROM (SELECT 1 AS step, new_rows.* FROM new_rows) AS touched) ORDER BY id FOR NO KEY UPDATE;\n    UPDATE runs_run AS run SET comment_count = comment_count + change.step\n      FROM (SELECT run_id, SUM(step) AS step FROM (SELECT 1 AS step, new_rows.* FROM new_rows) AS touched WHERE deleted_at IS NULL GROUP BY run_id) AS change\n     WHERE run.id = change.run_id AND change.step <> 0;\n    RETURN NULL;\n",
                    hash="d7361e855c75791a5dc009a150d16adc92e7841a",
                    level="STATEMENT",
                    operation="INSERT",
                    pgid="pgtrigger_count_new_comments_4f8dd",
                    referencing="REFERENCING NEW TABLE AS new_rows ",
                    table="runs_comment",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="comment",
            trigger=pgtrigger.compiler.Trigger(
                name="count_changed_comments",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="\n    PERFORM 1 FROM runs_run WHERE id IN (SELECT run_id FROM (SELECT -1 AS step, old_rows.* FROM old_rows UNION ALL SELECT 1 AS step, new_rows.* FROM new_rows) AS touched) ORDER BY id FOR NO KEY UPDATE;\n    UPDATE runs_run AS run SET comment_count = comment_count + change.step\n      FROM (SELECT run_id, SUM(step) AS step FROM (SELECT -1 AS step, old_rows.* FROM old_rows UNION ALL SELECT 1 AS step, new_rows.* FROM new_rows) AS touched WHERE deleted_at IS NULL GROUP BY run_id) AS change\n     WHERE run.id = change.run_id AND change.step <> 0;\n    RETURN NULL;\n",
                    hash="16da3f90f2fba37197fb6869925256a48f9cf615",
                    level="STATEMENT",
                    operation="UPDATE",
                    pgid="pgtrigger_count_changed_comments_bd160",
                    referencing="REFERENCING OLD TABLE AS old_rows  NEW TABLE AS new_rows ",
                    table="runs_comment",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="comment",
            trigger=pgtrigger.compiler.Trigger(
                name="count_gone_comments",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="\n    PERFORM 1 FROM runs_run WHERE id IN (SELECT run_id FROM (SELECT -1 AS step, old_rows.* FROM old_rows) AS touched) ORDER BY id FOR NO KEY UPDATE;\n    UPDATE runs_run AS run SET comment_count = comment_count + change.step\n      FROM (SELECT run_id, SUM(step) AS step FROM (SELECT -1 AS step, old_rows.* FROM old_rows) AS touched WHERE deleted_at IS NULL GROUP BY run_id) AS change\n     WHERE run.id = change.run_id AND change.step <> 0;\n    RETURN NULL;\n",
                    hash="96907713ef151a71477da1b5167ea43836ae93b4",
                    level="STATEMENT",
                    operation="DELETE",
                    pgid="pgtrigger_count_gone_comments_4752f",
                    referencing="REFERENCING OLD TABLE AS old_rows ",
                    table="runs_comment",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="comment",
            trigger=pgtrigger.compiler.Trigger(
                name="record_new_comment",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    constraint="CONSTRAINT",
                    func="PERFORM public.record_change(\n        'comment.created', run.instrument_id, run.run_id, NULL, NEW.id, NULL, NULL\n    ) FROM runs_run AS run WHERE run.id = NEW.run_id;\n    RETURN NULL;",
                    hash="02575a859b7d91279fd6c1c5494f7028fa837242",
                    operation="INSERT",
                    pgid="pgtrigger_record_new_comment_f94f9",
                    table="runs_comment",
                    timing="DEFERRABLE INITIALLY DEFERRED",
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
        pgtrigger.migrations.AddTrigger(
            model_name="claim",
            trigger=pgtrigger.compiler.Trigger(
                name="count_new_claims",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="\n    PERFORM 1 FROM runs_run WHERE id IN (SELECT run_id FROM (SELECT 1 AS step, new_rows.* FROM new_rows) AS touched) ORDER BY id FOR NO KEY UPDATE;\n    UPDATE runs_run AS run SET claim_count = claim_count + change.step\n      FROM (SELECT run_id, SUM(step) AS step FROM (SELECT 1 AS step, new_rows.* FROM new_rows) AS touched WHERE TRUE GROUP BY run_id) AS change\n     WHERE run.id = change.run_id AND change.step <> 0;\n    RETURN NULL;\n",
                    hash="d66e15f5c00ca6c67a9f6bc2414d6ad569e9ae20",
                    level="STATEMENT",
                    operation="INSERT",
                    pgid="pgtrigger_count_new_claims_97dbe",
                    referencing="REFERENCING NEW TABLE AS new_rows ",
                    table="runs_claim",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="claim",
            trigger=pgtrigger.compiler.Trigger(
                name="count_gone_claims",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="\n    PERFORM 1 FROM runs_run WHERE id IN (SELECT run_id FROM (SELECT -1 AS step, old_rows.* FROM old_rows) AS touched) ORDER BY id FOR NO KEY UPDATE;\n    UPDATE runs_run AS run SET claim_count = claim_count + change.step\n      FROM (SELECT run_id, SUM(step) AS step FROM (SELECT -1 AS step, old_rows.* FROM old_rows) AS touched WHERE TRUE GROUP BY run_id) AS change\n     WHERE run.id = change.run_id AND change.step <> 0;\n    RETURN NULL;\n",
                    hash="d160955566d2e0e31d454dba73087cff5b7602e9",
                    level="STATEMENT",
                    operation="DELETE",
                    pgid="pgtrigger_count_gone_claims_8bfef",
                    referencing="REFERENCING OLD TABLE AS old_rows ",
                    table="runs_claim",
                    when="AFTER",
                ),
            ),
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
