"""Groups of people, and the instruments that are theirs."""

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
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Group",
            fields=[
                ("id", models.UUIDField(default=wire.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=255)),
                ("claimed_as", models.CharField(blank=True, max_length=255, null=True)),
                ("created_at", models.DateTimeField(default=wire.clock.now, editable=False)),
            ],
        ),
        migrations.CreateModel(
            name="GroupInstrument",
            fields=[
                ("id", models.UUIDField(default=wire.ids.new_id, editable=False, primary_key=True, serialize=False)),
            ],
        ),
        migrations.CreateModel(
            name="GroupInstrumentTrail",
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
                "verbose_name": "group instrument change",
                "verbose_name_plural": "group instrument changes",
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="GroupTrail",
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
                "verbose_name": "group change",
                "verbose_name_plural": "group changes",
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                ("id", models.UUIDField(default=wire.ids.new_id, editable=False, primary_key=True, serialize=False)),
                (
                    "role",
                    models.CharField(
                        choices=[("member", "member"), ("manager", "manager")], default="member", max_length=7
                    ),
                ),
                ("is_claimed", models.BooleanField(db_default=False, default=False)),
            ],
        ),
        migrations.CreateModel(
            name="MembershipTrail",
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
                "verbose_name": "membership change",
                "verbose_name_plural": "membership changes",
                "abstract": False,
            },
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="instrument",
            name="trail_insert",
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="instrument",
            name="trail_update",
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="instrument",
            name="trail_delete",
        ),
        migrations.AddField(
            model_name="instrument",
            name="visibility",
            field=models.CharField(
                choices=[("everyone", "everyone"), ("groups", "its groups")],
                db_default="everyone",
                default="everyone",
                max_length=8,
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="instrument",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_insert",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "instruments_instrumenttrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'insert\', NEW."id", CASE WHEN NEW."display_name" IS NOT NULL THEN jsonb_build_object(\'display_name\', jsonb_build_array(NULL, NEW."display_name")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."status" IS NOT NULL THEN jsonb_build_object(\'status\', jsonb_build_array(NULL, NEW."status")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."instrument_type" IS NOT NULL THEN jsonb_build_object(\'instrument_type\', jsonb_build_array(NULL, NEW."instrument_type")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."time_zone" IS NOT NULL THEN jsonb_build_object(\'time_zone\', jsonb_build_array(NULL, NEW."time_zone")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."expect_files_every_hours" IS NOT NULL THEN jsonb_build_object(\'expect_files_every_hours\', jsonb_build_array(NULL, NEW."expect_files_every_hours")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."visibility" IS NOT NULL THEN jsonb_build_object(\'visibility\', jsonb_build_array(NULL, NEW."visibility")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="18c162167f05fff0a578b0f0d0027a2a3812c1a9",
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
                    condition='WHEN (OLD."display_name" IS DISTINCT FROM (NEW."display_name") OR OLD."expect_files_every_hours" IS DISTINCT FROM (NEW."expect_files_every_hours") OR OLD."instrument_type" IS DISTINCT FROM (NEW."instrument_type") OR OLD."status" IS DISTINCT FROM (NEW."status") OR OLD."time_zone" IS DISTINCT FROM (NEW."time_zone") OR OLD."visibility" IS DISTINCT FROM (NEW."visibility"))',
                    func='INSERT INTO "instruments_instrumenttrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", CASE WHEN OLD."display_name" IS DISTINCT FROM NEW."display_name" THEN jsonb_build_object(\'display_name\', jsonb_build_array(OLD."display_name", NEW."display_name")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."status" IS DISTINCT FROM NEW."status" THEN jsonb_build_object(\'status\', jsonb_build_array(OLD."status", NEW."status")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."instrument_type" IS DISTINCT FROM NEW."instrument_type" THEN jsonb_build_object(\'instrument_type\', jsonb_build_array(OLD."instrument_type", NEW."instrument_type")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."time_zone" IS DISTINCT FROM NEW."time_zone" THEN jsonb_build_object(\'time_zone\', jsonb_build_array(OLD."time_zone", NEW."time_zone")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."expect_files_every_hours" IS DISTINCT FROM NEW."expect_files_every_hours" THEN jsonb_build_object(\'expect_files_every_hours\', jsonb_build_array(OLD."expect_files_every_hours", NEW."expect_files_every_hours")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."visibility" IS DISTINCT FROM NEW."visibility" THEN jsonb_build_object(\'visibility\', jsonb_build_array(OLD."visibility", NEW."visibility")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="b786563ab3fd2c9390443af6dc3dbbf376853e7f",
                    operation='UPDATE OF "display_name", "status", "instrument_type", "time_zone", "expect_files_every_hours", "visibility"',
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
                    func='INSERT INTO "instruments_instrumenttrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'delete\', OLD."id", CASE WHEN OLD."display_name" IS NOT NULL THEN jsonb_build_object(\'display_name\', jsonb_build_array(OLD."display_name", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."status" IS NOT NULL THEN jsonb_build_object(\'status\', jsonb_build_array(OLD."status", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."instrument_type" IS NOT NULL THEN jsonb_build_object(\'instrument_type\', jsonb_build_array(OLD."instrument_type", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."time_zone" IS NOT NULL THEN jsonb_build_object(\'time_zone\', jsonb_build_array(OLD."time_zone", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."expect_files_every_hours" IS NOT NULL THEN jsonb_build_object(\'expect_files_every_hours\', jsonb_build_array(OLD."expect_files_every_hours", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."visibility" IS NOT NULL THEN jsonb_build_object(\'visibility\', jsonb_build_array(OLD."visibility", NULL)) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="355015a0f34e61afe8e7d9dac20e45229719a19b",
                    operation="DELETE",
                    pgid="pgtrigger_trail_delete_90431",
                    table="instruments_instrument",
                    when="AFTER",
                ),
            ),
        ),
        migrations.AddConstraint(
            model_name="group",
            constraint=models.UniqueConstraint(
                django.db.models.functions.text.Lower("name"), name="one_group_per_name"
            ),
        ),
        migrations.AddConstraint(
            model_name="group",
            constraint=models.UniqueConstraint(fields=("claimed_as",), name="one_group_per_claim"),
        ),
        migrations.AddConstraint(
            model_name="group",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    django.db.models.lookups.Range(django.db.models.functions.text.Length("claimed_as"), (1, 255))
                ),
                name="group_claim_is_a_name",
            ),
        ),
        migrations.AddConstraint(
            model_name="group",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    django.db.models.lookups.Range(django.db.models.functions.text.Length("name"), (1, 255))
                ),
                name="group_has_a_name",
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="group",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_insert",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "instruments_grouptrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'insert\', NEW."id", CASE WHEN NEW."name" IS NOT NULL THEN jsonb_build_object(\'name\', jsonb_build_array(NULL, NEW."name")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."claimed_as" IS NOT NULL THEN jsonb_build_object(\'claimed_as\', jsonb_build_array(NULL, NEW."claimed_as")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="7b9e8dbd453348879428873c79220c37de8af9c0",
                    operation="INSERT",
                    pgid="pgtrigger_trail_insert_dea7b",
                    table="instruments_group",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="group",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."claimed_as" IS DISTINCT FROM (NEW."claimed_as") OR OLD."name" IS DISTINCT FROM (NEW."name"))',
                    func='INSERT INTO "instruments_grouptrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", CASE WHEN OLD."name" IS DISTINCT FROM NEW."name" THEN jsonb_build_object(\'name\', jsonb_build_array(OLD."name", NEW."name")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."claimed_as" IS DISTINCT FROM NEW."claimed_as" THEN jsonb_build_object(\'claimed_as\', jsonb_build_array(OLD."claimed_as", NEW."claimed_as")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="9607cf9b2becb9d4d339c6604f472d03c6e093c8",
                    operation='UPDATE OF "name", "claimed_as"',
                    pgid="pgtrigger_trail_update_973a1",
                    table="instruments_group",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="group",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_delete",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "instruments_grouptrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'delete\', OLD."id", CASE WHEN OLD."name" IS NOT NULL THEN jsonb_build_object(\'name\', jsonb_build_array(OLD."name", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."claimed_as" IS NOT NULL THEN jsonb_build_object(\'claimed_as\', jsonb_build_array(OLD."claimed_as", NULL)) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="f19bc48cd8e5696d6e7bc97e38f174893ab758d4",
                    operation="DELETE",
                    pgid="pgtrigger_trail_delete_dff73",
                    table="instruments_group",
                    when="AFTER",
                ),
            ),
        ),
        migrations.AddField(
            model_name="groupinstrument",
            name="group",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="group_instruments",
                to="instruments.group",
            ),
        ),
        migrations.AddField(
            model_name="groupinstrument",
            name="instrument",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="in_groups", to="instruments.instrument"
            ),
        ),
        migrations.AddField(
            model_name="groupinstrumenttrail",
            name="pgh_obj",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="instruments.groupinstrument",
            ),
        ),
        migrations.AddField(
            model_name="grouptrail",
            name="pgh_obj",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="instruments.group",
            ),
        ),
        migrations.AddField(
            model_name="membership",
            name="group",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="memberships",
                to="instruments.group",
            ),
        ),
        migrations.AddField(
            model_name="membership",
            name="person",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="memberships", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddField(
            model_name="membershiptrail",
            name="pgh_obj",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="instruments.membership",
            ),
        ),
        migrations.AddConstraint(
            model_name="groupinstrument",
            constraint=models.UniqueConstraint(
                fields=("group", "instrument"), name="one_entry_per_group_and_instrument"
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="groupinstrument",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_insert",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "instruments_groupinstrumenttrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'insert\', NEW."id", CASE WHEN NEW."group_id" IS NOT NULL THEN jsonb_build_object(\'group_id\', jsonb_build_array(NULL, NEW."group_id")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."instrument_id" IS NOT NULL THEN jsonb_build_object(\'instrument_id\', jsonb_build_array(NULL, NEW."instrument_id")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="8597d4f8a3c9b7023e8282f095787a7d0de772d2",
                    operation="INSERT",
                    pgid="pgtrigger_trail_insert_91e7f",
                    table="instruments_groupinstrument",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="groupinstrument",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."group_id" IS DISTINCT FROM (NEW."group_id") OR OLD."instrument_id" IS DISTINCT FROM (NEW."instrument_id"))',
                    func='INSERT INTO "instruments_groupinstrumenttrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", CASE WHEN OLD."group_id" IS DISTINCT FROM NEW."group_id" THEN jsonb_build_object(\'group_id\', jsonb_build_array(OLD."group_id", NEW."group_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."instrument_id" IS DISTINCT FROM NEW."instrument_id" THEN jsonb_build_object(\'instrument_id\', jsonb_build_array(OLD."instrument_id", NEW."instrument_id")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="e062e3c68a6d61504bf727ae936e2073f0954206",
                    operation='UPDATE OF "group_id", "instrument_id"',
                    pgid="pgtrigger_trail_update_691cf",
                    table="instruments_groupinstrument",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="groupinstrument",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_delete",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "instruments_groupinstrumenttrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'delete\', OLD."id", CASE WHEN OLD."group_id" IS NOT NULL THEN jsonb_build_object(\'group_id\', jsonb_build_array(OLD."group_id", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."instrument_id" IS NOT NULL THEN jsonb_build_object(\'instrument_id\', jsonb_build_array(OLD."instrument_id", NULL)) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="4bbca8302fa074352854105dd714981dd1290e40",
                    operation="DELETE",
                    pgid="pgtrigger_trail_delete_a2af3",
                    table="instruments_groupinstrument",
                    when="AFTER",
                ),
            ),
        ),
        migrations.AddIndex(
            model_name="groupinstrumenttrail",
            index=models.Index(fields=["pgh_obj", "-pgh_id"], name="trail_of_groupinstrument"),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="groupinstrumenttrail",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="10cab0faba567ddd628a715bd62de985dcbb66a5",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_e8222",
                    table="instruments_groupinstrumenttrail",
                    when="BEFORE",
                ),
            ),
        ),
        migrations.AddIndex(
            model_name="grouptrail",
            index=models.Index(fields=["pgh_obj", "-pgh_id"], name="trail_of_group"),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="grouptrail",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="d2629766a14b3475399cb3d720c2012c9f7e0069",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_d7ea2",
                    table="instruments_grouptrail",
                    when="BEFORE",
                ),
            ),
        ),
        migrations.AddConstraint(
            model_name="membership",
            constraint=models.UniqueConstraint(fields=("group", "person"), name="one_membership_per_group_and_person"),
        ),
        migrations.AddConstraint(
            model_name="membership",
            constraint=models.CheckConstraint(
                condition=models.Q(("role__in", ["member", "manager"])), name="group_role_is_known"
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="membership",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_insert",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "instruments_membershiptrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'insert\', NEW."id", CASE WHEN NEW."group_id" IS NOT NULL THEN jsonb_build_object(\'group_id\', jsonb_build_array(NULL, NEW."group_id")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."person_id" IS NOT NULL THEN jsonb_build_object(\'person_id\', jsonb_build_array(NULL, NEW."person_id")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."role" IS NOT NULL THEN jsonb_build_object(\'role\', jsonb_build_array(NULL, NEW."role")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="146e437fddc11d1785af07c53cd1c8c0e8bd296c",
                    operation="INSERT",
                    pgid="pgtrigger_trail_insert_0aae3",
                    table="instruments_membership",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="membership",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."group_id" IS DISTINCT FROM (NEW."group_id") OR OLD."person_id" IS DISTINCT FROM (NEW."person_id") OR OLD."role" IS DISTINCT FROM (NEW."role"))',
                    func='INSERT INTO "instruments_membershiptrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", CASE WHEN OLD."group_id" IS DISTINCT FROM NEW."group_id" THEN jsonb_build_object(\'group_id\', jsonb_build_array(OLD."group_id", NEW."group_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."person_id" IS DISTINCT FROM NEW."person_id" THEN jsonb_build_object(\'person_id\', jsonb_build_array(OLD."person_id", NEW."person_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."role" IS DISTINCT FROM NEW."role" THEN jsonb_build_object(\'role\', jsonb_build_array(OLD."role", NEW."role")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="6a9fa0fa8e324d998a7aacde7a23b9849fc6eb1e",
                    operation='UPDATE OF "group_id", "person_id", "role"',
                    pgid="pgtrigger_trail_update_d33de",
                    table="instruments_membership",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="membership",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_delete",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "instruments_membershiptrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'delete\', OLD."id", CASE WHEN OLD."group_id" IS NOT NULL THEN jsonb_build_object(\'group_id\', jsonb_build_array(OLD."group_id", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."person_id" IS NOT NULL THEN jsonb_build_object(\'person_id\', jsonb_build_array(OLD."person_id", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."role" IS NOT NULL THEN jsonb_build_object(\'role\', jsonb_build_array(OLD."role", NULL)) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="098c97d7d1f5cbe2b2925910bae7fe50af27287f",
                    operation="DELETE",
                    pgid="pgtrigger_trail_delete_04fe6",
                    table="instruments_membership",
                    when="AFTER",
                ),
            ),
        ),
        migrations.AddIndex(
            model_name="membershiptrail",
            index=models.Index(fields=["pgh_obj", "-pgh_id"], name="trail_of_membership"),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="membershiptrail",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="79688a21066767386d0fa1500c3a759f7e529952",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_8f407",
                    table="instruments_membershiptrail",
                    when="BEFORE",
                ),
            ),
        ),
    ]
