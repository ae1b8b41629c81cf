"""Enrolment codes, and their trail."""

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
        ("instruments", "0002_trail"),
        ("watchers", "0016_trail_of_instances_and_folders"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="EnrolmentCode",
            fields=[
                ("id", models.UUIDField(default=wire.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ("digest", models.CharField(editable=False, max_length=64)),
                ("new_instrument_id", models.CharField(db_collation="C", max_length=64, null=True)),
                ("new_display_name", models.CharField(max_length=255, null=True)),
                ("new_instrument_type", models.CharField(max_length=64, null=True)),
                ("created_at", models.DateTimeField(default=wire.clock.now, editable=False)),
                ("expires_at", models.DateTimeField()),
                ("used_at", models.DateTimeField(null=True)),
                ("hostname", models.CharField(max_length=255, null=True)),
                ("instance_id", models.UUIDField(null=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "instrument",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="instruments.instrument",
                    ),
                ),
                (
                    "watcher",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="watchers.watcher"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="EnrolmentCodeTrail",
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
                        to="watchers.enrolmentcode",
                    ),
                ),
            ],
            options={
                "verbose_name": "enrolment code change",
                "verbose_name_plural": "enrolment code changes",
                "abstract": False,
            },
        ),
        migrations.AddConstraint(
            model_name="enrolmentcode",
            constraint=models.UniqueConstraint(fields=("digest",), name="one_enrolment_code_per_digest"),
        ),
        migrations.AddConstraint(
            model_name="enrolmentcode",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    django.db.models.lookups.Exact(django.db.models.functions.text.Length("digest"), 64),
                    models.Q(("digest__regex", "[^0-9a-f]"), _negated=True),
                ),
                name="enrolment_code_digest_is_sha256",
            ),
        ),
        migrations.AddConstraint(
            model_name="enrolmentcode",
            constraint=models.CheckConstraint(
                condition=models.Q(("expires_at__gt", models.F("created_at"))), name="enrolment_code_ends_later"
            ),
        ),
        migrations.AddConstraint(
            model_name="enrolmentcode",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("instrument__isnull", True),
                    models.Q(
                        ("new_display_name__isnull", True),
                        ("new_instrument_id__isnull", True),
                        ("new_instrument_type__isnull", True),
                    ),
                    _connector="OR",
                ),
                name="enrolment_code_is_bound_or_for_a_new_one",
            ),
        ),
        migrations.AddConstraint(
            model_name="enrolmentcode",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("hostname__isnull", True),
                        ("instance_id__isnull", True),
                        ("used_at__isnull", True),
                        ("watcher__isnull", True),
                    ),
                    models.Q(
                        ("hostname__isnull", False),
                        ("instance_id__isnull", False),
                        ("used_at__isnull", False),
                        ("watcher__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="enrolment_code_use_is_told_whole",
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="enrolmentcode",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_insert",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "watchers_enrolmentcodetrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'insert\', NEW."id", CASE WHEN NEW."instrument_id" IS NOT NULL THEN jsonb_build_object(\'instrument_id\', jsonb_build_array(NULL, NEW."instrument_id")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."new_instrument_id" IS NOT NULL THEN jsonb_build_object(\'new_instrument_id\', jsonb_build_array(NULL, NEW."new_instrument_id")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."new_display_name" IS NOT NULL THEN jsonb_build_object(\'new_display_name\', jsonb_build_array(NULL, NEW."new_display_name")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."new_instrument_type" IS NOT NULL THEN jsonb_build_object(\'new_instrument_type\', jsonb_build_array(NULL, NEW."new_instrument_type")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."created_by_id" IS NOT NULL THEN jsonb_build_object(\'created_by_id\', jsonb_build_array(NULL, NEW."created_by_id")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."expires_at" IS NOT NULL THEN jsonb_build_object(\'expires_at\', jsonb_build_array(NULL, to_char(NEW."expires_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN NEW."used_at" IS NOT NULL THEN jsonb_build_object(\'used_at\', jsonb_build_array(NULL, to_char(NEW."used_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN NEW."watcher_id" IS NOT NULL THEN jsonb_build_object(\'watcher_id\', jsonb_build_array(NULL, NEW."watcher_id")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."hostname" IS NOT NULL THEN jsonb_build_object(\'hostname\', jsonb_build_array(NULL, NEW."hostname")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."instance_id" IS NOT NULL THEN jsonb_build_object(\'instance_id\', jsonb_build_array(NULL, NEW."instance_id")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="c12516daa45b9d6ae8086186848a9619f5bd281e",
                    operation="INSERT",
                    pgid="pgtrigger_trail_insert_5344c",
                    table="watchers_enrolmentcode",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="enrolmentcode",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."created_by_id" IS DISTINCT FROM (NEW."created_by_id") OR OLD."expires_at" IS DISTINCT FROM (NEW."expires_at") OR OLD."hostname" IS DISTINCT FROM (NEW."hostname") OR OLD."instance_id" IS DISTINCT FROM (NEW."instance_id") OR OLD."instrument_id" IS DISTINCT FROM (NEW."instrument_id") OR OLD."new_display_name" IS DISTINCT FROM (NEW."new_display_name") OR OLD."new_instrument_id" IS DISTINCT FROM (NEW."new_instrument_id") OR OLD."new_instrument_type" IS DISTINCT FROM (NEW."new_instrument_type") OR OLD."used_at" IS DISTINCT FROM (NEW."used_at") OR OLD."watcher_id" IS DISTINCT FROM (NEW."watcher_id"))',
                    func='INSERT INTO "watchers_enrolmentcodetrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", CASE WHEN OLD."instrument_id" IS DISTINCT FROM NEW."instrument_id" THEN jsonb_build_object(\'instrument_id\', jsonb_build_array(OLD."instrument_id", NEW."instrument_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."new_instrument_id" IS DISTINCT FROM NEW."new_instrument_id" THEN jsonb_build_object(\'new_instrument_id\', jsonb_build_array(OLD."new_instrument_id", NEW."new_instrument_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."new_display_name" IS DISTINCT FROM NEW."new_display_name" THEN jsonb_build_object(\'new_display_name\', jsonb_build_array(OLD."new_display_name", NEW."new_display_name")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."new_instrument_type" IS DISTINCT FROM NEW."new_instrument_type" THEN jsonb_build_object(\'new_instrument_type\', jsonb_build_array(OLD."new_instrument_type", NEW."new_instrument_type")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."created_by_id" IS DISTINCT FROM NEW."created_by_id" THEN jsonb_build_object(\'created_by_id\', jsonb_build_array(OLD."created_by_id", NEW."created_by_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."expires_at" IS DISTINCT FROM NEW."expires_at" THEN jsonb_build_object(\'expires_at\', jsonb_build_array(to_char(OLD."expires_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."expires_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN OLD."used_at" IS DISTINCT FROM NEW."used_at" THEN jsonb_build_object(\'used_at\', jsonb_build_array(to_char(OLD."used_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."used_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN OLD."watcher_id" IS DISTINCT FROM NEW."watcher_id" THEN jsonb_build_object(\'watcher_id\', jsonb_build_array(OLD."watcher_id", NEW."watcher_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."hostname" IS DISTINCT FROM NEW."hostname" THEN jsonb_build_object(\'hostname\', jsonb_build_array(OLD."hostname", NEW."hostname")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."instance_id" IS DISTINCT FROM NEW."instance_id" THEN jsonb_build_object(\'instance_id\', jsonb_build_array(OLD."instance_id", NEW."instance_id")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="8d4d75319660ceb6362e2ed6693146c11f72c141",
                    operation='UPDATE OF "instrument_id", "new_instrument_id", "new_display_name", "new_instrument_type", "created_by_id", "expires_at", "used_at", "watcher_id", "hostname", "instance_id"',
                    pgid="pgtrigger_trail_update_0e705",
                    table="watchers_enrolmentcode",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="enrolmentcode",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_delete",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "watchers_enrolmentcodetrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'delete\', OLD."id", CASE WHEN OLD."instrument_id" IS NOT NULL THEN jsonb_build_object(\'instrument_id\', jsonb_build_array(OLD."instrument_id", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."new_instrument_id" IS NOT NULL THEN jsonb_build_object(\'new_instrument_id\', jsonb_build_array(OLD."new_instrument_id", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."new_display_name" IS NOT NULL THEN jsonb_build_object(\'new_display_name\', jsonb_build_array(OLD."new_display_name", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."new_instrument_type" IS NOT NULL THEN jsonb_build_object(\'new_instrument_type\', jsonb_build_array(OLD."new_instrument_type", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."created_by_id" IS NOT NULL THEN jsonb_build_object(\'created_by_id\', jsonb_build_array(OLD."created_by_id", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."expires_at" IS NOT NULL THEN jsonb_build_object(\'expires_at\', jsonb_build_array(to_char(OLD."expires_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."used_at" IS NOT NULL THEN jsonb_build_object(\'used_at\', jsonb_build_array(to_char(OLD."used_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."watcher_id" IS NOT NULL THEN jsonb_build_object(\'watcher_id\', jsonb_build_array(OLD."watcher_id", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."hostname" IS NOT NULL THEN jsonb_build_object(\'hostname\', jsonb_build_array(OLD."hostname", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."instance_id" IS NOT NULL THEN jsonb_build_object(\'instance_id\', jsonb_build_array(OLD."instance_id", NULL)) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="35c89afc5bc0180e4b8a80c719a7117346b13f7e",
                    operation="DELETE",
                    pgid="pgtrigger_trail_delete_d21f8",
                    table="watchers_enrolmentcode",
                    when="AFTER",
                ),
            ),
        ),
        migrations.AddIndex(
            model_name="enrolmentcodetrail",
            index=models.Index(fields=["pgh_obj", "-pgh_id"], name="trail_of_enrolmentcode"),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="enrolmentcodetrail",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="0b6cea84031dba6267fdfa3ff0f8c03c125a595e",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_80c78",
                    table="watchers_enrolmentcodetrail",
                    when="BEFORE",
                ),
            ),
        ),
    ]
