# online: on a database that has tables already, nothing is run
import django.db.models.deletion
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models

import wire.clock


class Migration(migrations.Migration):
    """What the migrations that it replaces make one after the other, in one step: a new database starts with it."""

    replaces = [
        ("instruments", "0001_instruments"),
        ("instruments", "0002_trail"),
        ("instruments", "0003_expected_files"),
        ("instruments", "0004_changes_are_recorded"),
    ]

    initial = True

    # What others keep comes first: changing their tables takes the longer the more of ours there are.
    dependencies = [
        ("account", "0009_emailaddress_unique_primary_email"),
        ("mfa", "0003_authenticator_type_uniq"),
        ("oauth2_provider", "0022_refreshtoken_token_family_index"),
        ("socialaccount", "0006_alter_socialaccount_extra_data"),
        ("changes", "0001_log_and_webhooks"),
    ]

    operations = [
        migrations.CreateModel(
            name="Instrument",
            fields=[
                ("id", models.CharField(db_collation="C", max_length=64, primary_key=True, serialize=False)),
                ("display_name", models.CharField(max_length=255)),
                (
                    "status",
                    models.CharField(
                        choices=[("pending", "Pending"), ("active", "Active"), ("inactive", "Inactive")],
                        default="pending",
                        max_length=8,
                    ),
                ),
                ("instrument_type", models.CharField(default="generic", max_length=64)),
                ("time_zone", models.CharField(max_length=64)),
                ("expect_files_every_hours", models.IntegerField(blank=True, null=True)),
                ("run_count", models.IntegerField(default=0, editable=False)),
                ("created_at", models.DateTimeField(default=wire.clock.now, editable=False)),
                ("updated_at", models.DateTimeField(default=wire.clock.now, editable=False)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id__regex", "^[a-z0-9-]{1,64}$")), name="instrument_id_is_a_slug"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("display_name", ""), _negated=True), name="instrument_has_a_name"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("status__in", ["pending", "active", "inactive"])),
                        name="instrument_status_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("instrument_type", ""), _negated=True), name="instrument_has_a_type"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("time_zone", ""), _negated=True), name="instrument_has_a_time_zone"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("expect_files_every_hours__gte", 1), ("expect_files_every_hours__lte", 8784)
                        ),
                        name="instrument_expects_files_within_a_year",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("run_count__gte", 0)), name="instrument_run_count_is_not_negative"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="InstrumentTrail",
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
                        to="instruments.instrument",
                    ),
                ),
            ],
            options={
                "verbose_name": "instrument change",
                "verbose_name_plural": "instrument changes",
                "abstract": False,
                "indexes": [models.Index(fields=["pgh_obj", "-pgh_id"], name="trail_of_instrument")],
            },
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="instrument",
            trigger=pgtrigger.compiler.Trigger(
                name="record_announced_instrument",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN (NEW.status = 'pending')",
                    constraint="CONSTRAINT",
                    func="PERFORM public.record_change('instrument.pending', NEW.id, NULL, NULL, NULL, NULL, NULL);\n    RETURN NULL;",
                    hash="3cf25bba48e493fc82fb30e25fe5882a3c47dad6",
                    operation="INSERT",
                    pgid="pgtrigger_record_announced_instrument_4c5a3",
                    table="instruments_instrument",
                    timing="DEFERRABLE INITIALLY DEFERRED",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="instrument",
            trigger=pgtrigger.compiler.Trigger(
                name="record_pending_instrument",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN (OLD.status <> NEW.status AND NEW.status = 'pending')",
                    constraint="CONSTRAINT",
                    func="PERFORM public.record_change('instrument.pending', NEW.id, NULL, NULL, NULL, NULL, NULL);\n    RETURN NULL;",
                    hash="4c7e633e2c7dceecc2daec45ec02099f0bec9d5a",
                    operation='UPDATE OF "status"',
                    pgid="pgtrigger_record_pending_instrument_6bbd9",
                    table="instruments_instrument",
                    timing="DEFERRABLE INITIALLY DEFERRED",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="instrument",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_insert",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "instruments_instrumenttrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'insert\', NEW."id", CASE WHEN NEW."display_name" IS NOT NULL THEN jsonb_build_object(\'display_name\', jsonb_build_array(NULL, NEW."display_name")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."status" IS NOT NULL THEN jsonb_build_object(\'status\', jsonb_build_array(NULL, NEW."status")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."instrument_type" IS NOT NULL THEN jsonb_build_object(\'instrument_type\', jsonb_build_array(NULL, NEW."instrument_type")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."time_zone" IS NOT NULL THEN jsonb_build_object(\'time_zone\', jsonb_build_array(NULL, NEW."time_zone")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."expect_files_every_hours" IS NOT NULL THEN jsonb_build_object(\'expect_files_every_hours\', jsonb_build_array(NULL, NEW."expect_files_every_hours")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="577cadb6037a5a74a7b1ad1d4c30955d1944e520",
                    operation="INSERT",
                    pgid="pgtrigger_trail_insert_6dbb5",
                    table="instruments_instrument",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="instrument",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."display_name" IS DISTINCT FROM (NEW."display_name") OR OLD."expect_files_every_hours" IS DISTINCT FROM (NEW."expect_files_every_hours") OR OLD."instrument_type" IS DISTINCT FROM (NEW."instrument_type") OR OLD."status" IS DISTINCT FROM (NEW."status") OR OLD."time_zone" IS DISTINCT FROM (NEW."time_zone"))',
                    func='INSERT INTO "instruments_instrumenttrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", CASE WHEN OLD."display_name" IS DISTINCT FROM NEW."display_name" THEN jsonb_build_object(\'display_name\', jsonb_build_array(OLD."display_name", NEW."display_name")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."status" IS DISTINCT FROM NEW."status" THEN jsonb_build_object(\'status\', jsonb_build_array(OLD."status", NEW."status")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."instrument_type" IS DISTINCT FROM NEW."instrument_type" THEN jsonb_build_object(\'instrument_type\', jsonb_build_array(OLD."instrument_type", NEW."instrument_type")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."time_zone" IS DISTINCT FROM NEW."time_zone" THEN jsonb_build_object(\'time_zone\', jsonb_build_array(OLD."time_zone", NEW."time_zone")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."expect_files_every_hours" IS DISTINCT FROM NEW."expect_files_every_hours" THEN jsonb_build_object(\'expect_files_every_hours\', jsonb_build_array(OLD."expect_files_every_hours", NEW."expect_files_every_hours")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="e9686b3285ae5ba6c2673b11d7799e0043380c36",
                    operation='UPDATE OF "display_name", "status", "instrument_type", "time_zone", "expect_files_every_hours"',
                    pgid="pgtrigger_trail_update_d96fa",
                    table="instruments_instrument",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="instrument",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_delete",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "instruments_instrumenttrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'delete\', OLD."id", CASE WHEN OLD."display_name" IS NOT NULL THEN jsonb_build_object(\'display_name\', jsonb_build_array(OLD."display_name", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."status" IS NOT NULL THEN jsonb_build_object(\'status\', jsonb_build_array(OLD."status", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."instrument_type" IS NOT NULL THEN jsonb_build_object(\'instrument_type\', jsonb_build_array(OLD."instrument_type", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."time_zone" IS NOT NULL THEN jsonb_build_object(\'time_zone\', jsonb_build_array(OLD."time_zone", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."expect_files_every_hours" IS NOT NULL THEN jsonb_build_object(\'expect_files_every_hours\', jsonb_build_array(OLD."expect_files_every_hours", NULL)) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="b0cbc68ba53de08493f773904bfa556c9d2eaa05",
                    operation="DELETE",
                    pgid="pgtrigger_trail_delete_90431",
                    table="instruments_instrument",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="instrumenttrail",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="76805edc999581752eb64dd722edd7c0a4aca85b",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_3d0d5",
                    table="instruments_instrumenttrail",
                    when="BEFORE",
                ),
            ),
        ),
    ]
