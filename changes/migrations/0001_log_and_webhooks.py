# online: new tables, and a function that nothing calls yet
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

# The lock is held until the transaction is seen by others: positions are taken in the order of commits.
CREATE = """
CREATE FUNCTION public.record_change(
    type text, instrument text, run text, file bigint, comment uuid, archive uuid, watcher uuid
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(30786726);
    INSERT INTO public.changes_change
        (type, at, instrument_id, run_id, file_id, comment_id, archive_job_id, watcher_id)
    VALUES (type, date_trunc('milliseconds', clock_timestamp()), instrument, run, file, comment, archive, watcher);
END
$$
"""


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("accounts", "0003_trail"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Change",
            fields=[
                ("position", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "type",
                    models.CharField(
                        choices=[
                            ("run.created", "A run was reported"),
                            ("run.completed", "All files of a run are read"),
                            ("run.failed", "A file of a run failed"),
                            ("run.deleted", "A run was deleted"),
                            ("run.restored", "A deleted run is back"),
                            ("file.uploaded", "A file is stored"),
                            ("file.completed", "A file was read"),
                            ("file.failed", "A file failed"),
                            ("comment.created", "Somebody commented on a run"),
                            ("archive.ready", "An archive can be downloaded"),
                            ("archive.failed", "An archive could not be built"),
                            ("instrument.pending", "An instrument waits to be confirmed"),
                            ("watcher.registered", "A watcher registered"),
                            ("watcher.offline", "A watcher fell silent"),
                            ("watcher.online", "A watcher is back"),
                        ],
                        max_length=32,
                    ),
                ),
                ("at", models.DateTimeField()),
                ("instrument_id", models.CharField(db_collation="C", max_length=64)),
                ("run_id", models.CharField(db_collation="C", max_length=255, null=True)),
                ("file_id", models.BigIntegerField(null=True)),
                ("comment_id", models.UUIDField(null=True)),
                ("archive_job_id", models.UUIDField(null=True)),
                ("watcher_id", models.UUIDField(null=True)),
            ],
            options={
                "indexes": [
                    models.Index(fields=["instrument_id", "position"], name="changes_of_instrument"),
                    models.Index(fields=["type", "position"], name="changes_of_type"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "type__in",
                                [
                                    "run.created",
                                    "run.completed",
                                    "run.failed",
                                    "run.deleted",
                                    "run.restored",
                                    "file.uploaded",
                                    "file.completed",
                                    "file.failed",
                                    "comment.created",
                                    "archive.ready",
                                    "archive.failed",
                                    "instrument.pending",
                                    "watcher.registered",
                                    "watcher.offline",
                                    "watcher.online",
                                ],
                            )
                        ),
                        name="change_type_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            django.db.models.lookups.Range(
                                django.db.models.functions.text.Length("instrument_id"), (1, 64)
                            )
                        ),
                        name="change_names_an_instrument",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="LogState",
            fields=[
                ("id", models.IntegerField(default=1, primary_key=True, serialize=False)),
                ("forgotten_to", models.BigIntegerField(default=0)),
                ("sent_to", models.BigIntegerField(default=0)),
            ],
            options={
                "constraints": [models.CheckConstraint(condition=models.Q(("id", 1)), name="one_state_of_the_log")],
            },
        ),
        migrations.CreateModel(
            name="Webhook",
            fields=[
                ("id", models.UUIDField(default=wire.ids.new_id, editable=False, primary_key=True, serialize=False)),
                (
                    "kind",
                    models.CharField(
                        choices=[("standard", "Standard Webhooks"), ("chat", "Chat"), ("teams", "Microsoft Teams")],
                        default="standard",
                        max_length=8,
                    ),
                ),
                ("url", models.TextField()),
                ("description", models.CharField(blank=True, max_length=200)),
                (
                    "event_types",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=32), blank=True, default=list, size=None
                    ),
                ),
                (
                    "instrument_ids",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=64), blank=True, null=True, size=None
                    ),
                ),
                ("is_active", models.BooleanField(default=True)),
                ("disabled_reason", models.TextField(blank=True, null=True)),
                ("sealed_secret", models.TextField(editable=False)),
                ("former_sealed_secret", models.TextField(editable=False, null=True)),
                ("former_until", models.DateTimeField(editable=False, null=True)),
                ("created_at", models.DateTimeField(default=wire.clock.now, editable=False)),
                ("last_success_at", models.DateTimeField(editable=False, null=True)),
                ("failing_since", models.DateTimeField(editable=False, null=True)),
                ("failures", models.IntegerField(default=0, editable=False)),
                ("due_at", models.DateTimeField(editable=False, null=True)),
                ("is_slow", models.BooleanField(default=False, editable=False)),
                ("lease_id", models.UUIDField(editable=False, null=True)),
                ("lease_until", models.DateTimeField(editable=False, null=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="WebhookDelivery",
            fields=[
                ("id", models.UUIDField(default=wire.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ("position", models.BigIntegerField(null=True)),
                ("event_type", models.CharField(max_length=32)),
                ("payload", models.JSONField()),
                (
                    "status",
                    models.CharField(
                        choices=[("pending", "Pending"), ("succeeded", "Succeeded"), ("failed", "Failed")],
                        default="pending",
                        max_length=9,
                    ),
                ),
                ("tries", models.IntegerField(default=0)),
                ("attempts", models.JSONField(default=list)),
                ("next_attempt_at", models.DateTimeField(null=True)),
                ("created_at", models.DateTimeField(default=wire.clock.now, editable=False)),
                (
                    "webhook",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to="changes.webhook",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "webhook deliveries",
            },
        ),
        migrations.CreateModel(
            name="WebhookTrail",
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
                        to="changes.webhook",
                    ),
                ),
            ],
            options={
                "verbose_name": "webhook change",
                "verbose_name_plural": "webhook changes",
                "abstract": False,
            },
        ),
        migrations.AddIndex(
            model_name="webhook",
            index=models.Index(
                condition=models.Q(("due_at__isnull", False), ("is_active", True)),
                fields=["due_at"],
                name="webhooks_due",
            ),
        ),
        migrations.AddIndex(
            model_name="webhook",
            index=models.Index(fields=["-created_at", "-id"], name="webhooks_by_age"),
        ),
        migrations.AddConstraint(
            model_name="webhook",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["standard", "chat", "teams"])), name="webhook_kind_is_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="webhook",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    django.db.models.lookups.Range(django.db.models.functions.text.Length("url"), (1, 2000))
                ),
                name="webhook_url_length",
            ),
        ),
        migrations.AddConstraint(
            model_name="webhook",
            constraint=models.CheckConstraint(
                condition=models.Q(("sealed_secret", ""), _negated=True), name="webhook_has_a_secret"
            ),
        ),
        migrations.AddConstraint(
            model_name="webhook",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("former_sealed_secret__isnull", True), ("former_until__isnull", True)),
                    models.Q(("former_sealed_secret__isnull", False), ("former_until__isnull", False)),
                    _connector="OR",
                ),
                name="former_secret_has_an_end",
            ),
        ),
        migrations.AddConstraint(
            model_name="webhook",
            constraint=models.CheckConstraint(
                condition=models.Q(("is_active", False), ("disabled_reason__isnull", True), _connector="OR"),
                name="active_webhook_is_not_disabled",
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="webhook",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_insert",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="INSERT INTO \"changes_webhooktrail\" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), 'insert', NEW.\"id\", CASE WHEN NEW.\"kind\" IS NOT NULL THEN jsonb_build_object('kind', jsonb_build_array(NULL, NEW.\"kind\")) ELSE '{}'::jsonb END || CASE WHEN NEW.\"description\" IS NOT NULL THEN jsonb_build_object('description', jsonb_build_array(NULL, NEW.\"description\")) ELSE '{}'::jsonb END || CASE WHEN NEW.\"event_types\" IS NOT NULL THEN jsonb_build_object('event_types', jsonb_build_array(NULL, NEW.\"event_types\")) ELSE '{}'::jsonb END || CASE WHEN NEW.\"instrument_ids\" IS NOT NULL THEN jsonb_build_object('instrument_ids', jsonb_build_array(NULL, NEW.\"instrument_ids\")) ELSE '{}'::jsonb END || CASE WHEN NEW.\"is_active\" IS NOT NULL THEN jsonb_build_object('is_active', jsonb_build_array(NULL, NEW.\"is_active\")) ELSE '{}'::jsonb END || CASE WHEN NEW.\"url\" IS NOT NULL THEN jsonb_build_object('url', jsonb_build_array(NULL, CASE WHEN NEW.\"url\" IS NOT NULL THEN 'hidden' END)) ELSE '{}'::jsonb END || CASE WHEN NEW.\"sealed_secret\" IS NOT NULL THEN jsonb_build_object('sealed_secret', jsonb_build_array(NULL, CASE WHEN NEW.\"sealed_secret\" IS NOT NULL THEN 'hidden' END)) ELSE '{}'::jsonb END, public.trail_context(); RETURN NULL;",
                    hash="4ed1f4e53064b0747bcb317da33884cc5a1aa3dc",
                    operation="INSERT",
                    pgid="pgtrigger_trail_insert_f75ca",
                    table="changes_webhook",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="webhook",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."description" IS DISTINCT FROM (NEW."description") OR OLD."event_types" IS DISTINCT FROM (NEW."event_types") OR OLD."instrument_ids" IS DISTINCT FROM (NEW."instrument_ids") OR OLD."is_active" IS DISTINCT FROM (NEW."is_active") OR OLD."kind" IS DISTINCT FROM (NEW."kind") OR OLD."sealed_secret" IS DISTINCT FROM (NEW."sealed_secret") OR OLD."url" IS DISTINCT FROM (NEW."url"))',
                    func='INSERT INTO "changes_webhooktrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", CASE WHEN OLD."kind" IS DISTINCT FROM NEW."kind" THEN jsonb_build_object(\'kind\', jsonb_build_array(OLD."kind", NEW."kind")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."description" IS DISTINCT FROM NEW."description" THEN jsonb_build_object(\'description\', jsonb_build_array(OLD."description", NEW."description")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."event_types" IS DISTINCT FROM NEW."event_types" THEN jsonb_build_object(\'event_types\', jsonb_build_array(OLD."event_types", NEW."event_types")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."instrument_ids" IS DISTINCT FROM NEW."instrument_ids" THEN jsonb_build_object(\'instrument_ids\', jsonb_build_array(OLD."instrument_ids", NEW."instrument_ids")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."is_active" IS DISTINCT FROM NEW."is_active" THEN jsonb_build_object(\'is_active\', jsonb_build_array(OLD."is_active", NEW."is_active")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."url" IS DISTINCT FROM NEW."url" THEN jsonb_build_object(\'url\', jsonb_build_array(CASE WHEN OLD."url" IS NOT NULL THEN \'hidden\' END, CASE WHEN NEW."url" IS NOT NULL THEN \'hidden\' END)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."sealed_secret" IS DISTINCT FROM NEW."sealed_secret" THEN jsonb_build_object(\'sealed_secret\', jsonb_build_array(CASE WHEN OLD."sealed_secret" IS NOT NULL THEN \'hidden\' END, CASE WHEN NEW."sealed_secret" IS NOT NULL THEN \'hidden\' END)) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="d52e1e1df2a0806f51e1966e959541dab52f1884",
                    operation='UPDATE OF "kind", "description", "event_types", "instrument_ids", "is_active", "url", "sealed_secret"',
                    pgid="pgtrigger_trail_update_8bd9b",
                    table="changes_webhook",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="webhook",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_delete",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="INSERT INTO \"changes_webhooktrail\" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), 'delete', OLD.\"id\", CASE WHEN OLD.\"kind\" IS NOT NULL THEN jsonb_build_object('kind', jsonb_build_array(OLD.\"kind\", NULL)) ELSE '{}'::jsonb END || CASE WHEN OLD.\"description\" IS NOT NULL THEN jsonb_build_object('description', jsonb_build_array(OLD.\"description\", NULL)) ELSE '{}'::jsonb END || CASE WHEN OLD.\"event_types\" IS NOT NULL THEN jsonb_build_object('event_types', jsonb_build_array(OLD.\"event_types\", NULL)) ELSE '{}'::jsonb END || CASE WHEN OLD.\"instrument_ids\" IS NOT NULL THEN jsonb_build_object('instrument_ids', jsonb_build_array(OLD.\"instrument_ids\", NULL)) ELSE '{}'::jsonb END || CASE WHEN OLD.\"is_active\" IS NOT NULL THEN jsonb_build_object('is_active', jsonb_build_array(OLD.\"is_active\", NULL)) ELSE '{}'::jsonb END || CASE WHEN OLD.\"url\" IS NOT NULL THEN jsonb_build_object('url', jsonb_build_array(CASE WHEN OLD.\"url\" IS NOT NULL THEN 'hidden' END, NULL)) ELSE '{}'::jsonb END || CASE WHEN OLD.\"sealed_secret\" IS NOT NULL THEN jsonb_build_object('sealed_secret', jsonb_build_array(CASE WHEN OLD.\"sealed_secret\" IS NOT NULL THEN 'hidden' END, NULL)) ELSE '{}'::jsonb END, public.trail_context(); RETURN NULL;",
                    hash="d9aa03f128469a1a1cd359e3a731e88becc2d3e3",
                    operation="DELETE",
                    pgid="pgtrigger_trail_delete_76603",
                    table="changes_webhook",
                    when="AFTER",
                ),
            ),
        ),
        migrations.AddIndex(
            model_name="webhookdelivery",
            index=models.Index(fields=["webhook", "-created_at", "-id"], name="deliveries_of_webhook_by_age"),
        ),
        migrations.AddIndex(
            model_name="webhookdelivery",
            index=models.Index(
                condition=models.Q(("status", "pending")),
                fields=["webhook", "next_attempt_at", "id"],
                name="deliveries_due",
            ),
        ),
        migrations.AddIndex(
            model_name="webhookdelivery",
            index=models.Index(fields=["created_at"], name="deliveries_by_age"),
        ),
        migrations.AddConstraint(
            model_name="webhookdelivery",
            constraint=models.UniqueConstraint(
                fields=("webhook", "position"), name="one_delivery_per_webhook_and_change"
            ),
        ),
        migrations.AddConstraint(
            model_name="webhookdelivery",
            constraint=models.CheckConstraint(
                condition=models.Q(("status__in", ["pending", "succeeded", "failed"])), name="delivery_status_is_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="webhookdelivery",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("next_attempt_at__isnull", False), ("status", "pending")),
                    models.Q(models.Q(("status", "pending"), _negated=True), ("next_attempt_at__isnull", True)),
                    _connector="OR",
                ),
                name="pending_delivery_has_a_time",
            ),
        ),
        migrations.AddIndex(
            model_name="webhooktrail",
            index=models.Index(fields=["pgh_obj", "-pgh_id"], name="trail_of_webhook"),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="webhooktrail",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="430cac6d726b364fa6751702d4f38b839a241223",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_d879d",
                    table="changes_webhooktrail",
                    when="BEFORE",
                ),
            ),
        ),
        migrations.RunSQL(CREATE, "DROP FUNCTION public.record_change"),
    ]
