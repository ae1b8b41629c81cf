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
from django.db import migrations, models

import wire.clock
import wire.columns
import wire.ids


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("accounts", "0001_accounts"),
        ("instruments", "0001_instruments"),
        ("runs", "0001_run_terms"),
        ("watchers", "0002_storage"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
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
                ("own", models.JSONField(blank=True, default=dict)),
                ("extracted", models.JSONField(blank=True, default=dict)),
                (
                    "metadata",
                    models.GeneratedField(
                        db_persist=True,
                        expression=django.db.models.expressions.CombinedExpression(
                            models.F("extracted"), "||", models.F("own"), output_field=models.JSONField()
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
                                models.F("extracted"), "||", models.F("own"), output_field=models.JSONField()
                            ),
                            function="public.run_terms",
                        ),
                        output_field=django.contrib.postgres.fields.ArrayField(
                            base_field=models.TextField(), size=None
                        ),
                    ),
                ),
                ("acquired_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(default=wire.clock.now, editable=False)),
                ("updated_at", models.DateTimeField(default=wire.clock.now, editable=False)),
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
                (
                    "run",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="comments",
                        to="runs.run",
                    ),
                ),
            ],
        ),
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
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="claims", to="runs.run"
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="run",
            index=models.Index(
                condition=models.Q(("deleted_at__isnull", True)), fields=["-happened_at", "-id"], name="runs_by_time"
            ),
        ),
        migrations.AddIndex(
            model_name="run",
            index=models.Index(
                condition=models.Q(("deleted_at__isnull", True)),
                fields=["instrument", "-happened_at", "-id"],
                name="runs_of_instrument_by_time",
            ),
        ),
        migrations.AddIndex(
            model_name="run",
            index=models.Index(
                condition=models.Q(("deleted_at__isnull", True)), fields=["-created_at", "-id"], name="runs_by_creation"
            ),
        ),
        migrations.AddIndex(
            model_name="run",
            index=models.Index(
                condition=models.Q(("deleted_at__isnull", True), models.Q(("status", "completed"), _negated=True)),
                fields=["status", "-happened_at", "-id"],
                name="unfinished_runs_by_time",
            ),
        ),
        migrations.AddIndex(
            model_name="run",
            index=models.Index(
                condition=models.Q(("claim_count", 0), ("deleted_at__isnull", True)),
                fields=["-happened_at", "-id"],
                name="unattributed_runs_by_time",
            ),
        ),
        migrations.AddIndex(
            model_name="run",
            index=models.Index(
                condition=models.Q(("processing_since__isnull", False)),
                fields=["processing_since"],
                name="processing_runs",
            ),
        ),
        migrations.AddIndex(
            model_name="run",
            index=django.contrib.postgres.indexes.GinIndex(fields=["terms"], name="runs_by_term"),
        ),
        migrations.AddIndex(
            model_name="run",
            index=django.contrib.postgres.indexes.GinIndex(
                django.contrib.postgres.indexes.OpClass(
                    django.db.models.functions.text.Upper(wire.columns.Searchable("run_id")), name="gin_trgm_ops"
                ),
                name="runs_by_part_of_run_id",
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.UniqueConstraint(
                fields=("instrument", "run_id"), name="one_run_per_instrument_and_run_id"
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("run_id__regex", "^[^/\\\\[:cntrl:]]{1,255}$"),
                    models.Q(("run_id__in", [".", ".."]), _negated=True),
                    models.Q(("run_id__startswith", " "), _negated=True),
                    models.Q(("run_id__endswith", " "), _negated=True),
                ),
                name="run_id_is_a_path_segment",
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(("source__in", ["watcher", "worker", "script"])), name="run_source_is_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    django.db.models.lookups.Exact(
                        models.Func(models.F("own"), function="jsonb_typeof", output_field=models.TextField()), "object"
                    )
                ),
                name="run_own_is_an_object",
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    django.db.models.lookups.Exact(
                        models.Func(models.F("extracted"), function="jsonb_typeof", output_field=models.TextField()),
                        "object",
                    )
                ),
                name="run_extracted_is_an_object",
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("deleted_at__isnull", True), ("deleted_by__isnull", True), ("deleted_by_token__isnull", True)
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
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
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
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
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
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("n_processing", 0), ("processing_since__isnull", True)),
                    models.Q(("n_processing__gt", 0), ("processing_since__isnull", False)),
                    _connector="OR",
                ),
                name="run_processing_has_a_beginning",
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
                    condition='WHEN (OLD."acquired_at" IS DISTINCT FROM (NEW."acquired_at") OR OLD."deleted_at" IS DISTINCT FROM (NEW."deleted_at") OR OLD."extracted" IS DISTINCT FROM (NEW."extracted") OR OLD."own" IS DISTINCT FROM (NEW."own"))',
                    func="\n    UPDATE runs_run AS run SET updated_at = GREATEST(run.updated_at, date_trunc('milliseconds', clock_timestamp())) WHERE id = NEW.id;\n    RETURN NULL;\n",
                    hash="5d836520954a471f29df96d219cbc8a5671496fd",
                    operation='UPDATE OF "own", "extracted", "acquired_at", "deleted_at"',
                    pgid="pgtrigger_touch_run_76b5e",
                    table="runs_run",
                    when="AFTER",
                ),
            ),
        ),
        migrations.AddIndex(
            model_name="comment",
            index=models.Index(
                condition=models.Q(("deleted_at__isnull", True)),
                fields=["run", "created_at", "id"],
                name="comments_of_run_by_age",
            ),
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
        migrations.AddConstraint(
            model_name="claim",
            constraint=models.UniqueConstraint(fields=("user", "run"), name="one_claim_per_person_and_run"),
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
    ]
