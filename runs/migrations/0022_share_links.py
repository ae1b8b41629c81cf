"""Links by which outsiders look at one run."""

import datetime

import django.db.models.deletion
import django.db.models.expressions
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
        ("runs", "0021_signatures"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ShareLink",
            fields=[
                ("id", models.UUIDField(default=wire.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ("digest", models.CharField(max_length=64)),
                ("created_at", models.DateTimeField(default=wire.clock.now, editable=False)),
                ("expires_at", models.DateTimeField()),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                ("open_count", models.IntegerField(default=0, editable=False)),
                ("last_opened_at", models.DateTimeField(editable=False, null=True)),
                (
                    "made_by",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "revoked_by",
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
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="share_links", to="runs.run"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ShareLinkTrail",
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
                        to="runs.sharelink",
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
                "verbose_name": "share link change",
                "verbose_name_plural": "share link changes",
                "abstract": False,
            },
        ),
        migrations.AddConstraint(
            model_name="sharelink",
            constraint=models.UniqueConstraint(fields=("digest",), name="one_share_link_per_digest"),
        ),
        migrations.AddConstraint(
            model_name="sharelink",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    django.db.models.lookups.Exact(django.db.models.functions.text.Length("digest"), 64),
                    models.Q(("digest__regex", "[^0-9a-f]"), _negated=True),
                ),
                name="share_link_digest_is_hex",
            ),
        ),
        migrations.AddConstraint(
            model_name="sharelink",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("expires_at__gt", models.F("created_at")),
                    (
                        "expires_at__lte",
                        django.db.models.expressions.CombinedExpression(
                            models.F("created_at"), "+", models.Value(datetime.timedelta(days=90))
                        ),
                    ),
                ),
                name="share_link_ends_in_time",
            ),
        ),
        migrations.AddConstraint(
            model_name="sharelink",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("revoked_at__isnull", True), ("revoked_by__isnull", True)),
                    models.Q(("revoked_at__isnull", False), ("revoked_by__isnull", False)),
                    _connector="OR",
                ),
                name="share_link_is_revoked_by_somebody",
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="sharelink",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_insert",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "runs_sharelinktrail" (pgh_created_at, pgh_label, pgh_obj_id, "run_id", changes, pgh_context) SELECT clock_timestamp(), \'insert\', NEW."id", NEW."run_id", CASE WHEN NEW."made_by_id" IS NOT NULL THEN jsonb_build_object(\'made_by_id\', jsonb_build_array(NULL, NEW."made_by_id")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."expires_at" IS NOT NULL THEN jsonb_build_object(\'expires_at\', jsonb_build_array(NULL, to_char(NEW."expires_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="3d1ce856048468c6cfd78abf86e829b51ede853f",
                    operation="INSERT",
                    pgid="pgtrigger_trail_insert_3d3a8",
                    table="runs_sharelink",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="sharelink",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."expires_at" IS DISTINCT FROM (NEW."expires_at") OR OLD."made_by_id" IS DISTINCT FROM (NEW."made_by_id") OR OLD."revoked_at" IS DISTINCT FROM (NEW."revoked_at") OR OLD."revoked_by_id" IS DISTINCT FROM (NEW."revoked_by_id"))',
                    func='INSERT INTO "runs_sharelinktrail" (pgh_created_at, pgh_label, pgh_obj_id, "run_id", changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", NEW."run_id", CASE WHEN OLD."made_by_id" IS DISTINCT FROM NEW."made_by_id" THEN jsonb_build_object(\'made_by_id\', jsonb_build_array(OLD."made_by_id", NEW."made_by_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."expires_at" IS DISTINCT FROM NEW."expires_at" THEN jsonb_build_object(\'expires_at\', jsonb_build_array(to_char(OLD."expires_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."expires_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN OLD."revoked_at" IS DISTINCT FROM NEW."revoked_at" THEN jsonb_build_object(\'revoked_at\', jsonb_build_array(to_char(OLD."revoked_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."revoked_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN OLD."revoked_by_id" IS DISTINCT FROM NEW."revoked_by_id" THEN jsonb_build_object(\'revoked_by_id\', jsonb_build_array(OLD."revoked_by_id", NEW."revoked_by_id")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="5981031ed1c04782b2c43bee9d131f3e6e69808e",
                    operation='UPDATE OF "made_by_id", "expires_at", "revoked_at", "revoked_by_id"',
                    pgid="pgtrigger_trail_update_6bf2c",
                    table="runs_sharelink",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="sharelink",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_delete",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "runs_sharelinktrail" (pgh_created_at, pgh_label, pgh_obj_id, "run_id", changes, pgh_context) SELECT clock_timestamp(), \'delete\', OLD."id", OLD."run_id", CASE WHEN OLD."made_by_id" IS NOT NULL THEN jsonb_build_object(\'made_by_id\', jsonb_build_array(OLD."made_by_id", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."expires_at" IS NOT NULL THEN jsonb_build_object(\'expires_at\', jsonb_build_array(to_char(OLD."expires_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), NULL)) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="dd1706d791f7c303d0fecf60a3677f190c84cde0",
                    operation="DELETE",
                    pgid="pgtrigger_trail_delete_09b73",
                    table="runs_sharelink",
                    when="AFTER",
                ),
            ),
        ),
        migrations.AddIndex(
            model_name="sharelinktrail",
            index=models.Index(fields=["run", "-pgh_id"], name="trail_of_sharelink"),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="sharelinktrail",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="86bb4a15ade56bacc46289e7fda6ab746cb47f5f",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_e9179",
                    table="runs_sharelinktrail",
                    when="BEFORE",
                ),
            ),
        ),
    ]
