"""The configuration that is wanted of a watcher, its trail, and the event of one that was refused."""

import django.db.models.deletion
import django.db.models.functions.text
import django.db.models.lookups
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models

import wire.clock


class Migration(migrations.Migration):
    dependencies = [
        ("watchers", "0018_taken_over_event"),
    ]

    operations = [
        migrations.CreateModel(
            name="WantedConfig",
            fields=[
                (
                    "watcher",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="wanted_config",
                        serialize=False,
                        to="watchers.watcher",
                    ),
                ),
                ("config_yaml", models.TextField()),
                ("config_checksum", models.CharField(max_length=64)),
                ("updated_at", models.DateTimeField(default=wire.clock.now, editable=False)),
                (
                    "state",
                    models.CharField(
                        choices=[("waiting", "Waiting"), ("taken", "Taken"), ("refused", "Refused")],
                        default="waiting",
                        max_length=7,
                    ),
                ),
                ("settled_at", models.DateTimeField(editable=False, null=True)),
                ("taken_checksum", models.CharField(editable=False, max_length=64, null=True)),
                ("refusal", models.TextField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name="WantedConfigTrail",
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
                "verbose_name": "wanted config change",
                "verbose_name_plural": "wanted config changes",
                "abstract": False,
            },
        ),
        migrations.RemoveConstraint(
            model_name="watcherevent",
            name="event_type_is_known",
        ),
        migrations.AlterField(
            model_name="watcherevent",
            name="event_type",
            field=models.CharField(
                choices=[
                    ("watcher_started", "Watcher Started"),
                    ("watcher_stopped", "Watcher Stopped"),
                    ("config_synced", "Config Synced"),
                    ("config_refused", "Config Refused"),
                    ("run_reported", "Run Reported"),
                    ("file_uploaded", "File Uploaded"),
                    ("upload_failed", "Upload Failed"),
                    ("error", "Error"),
                    ("update_started", "Update Started"),
                    ("update_succeeded", "Update Succeeded"),
                    ("update_failed", "Update Failed"),
                    ("taken_over", "Taken Over"),
                    ("instance_conflict", "Instance Conflict"),
                ],
                max_length=32,
            ),
        ),
        migrations.AddConstraint(
            model_name="watcherevent",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "event_type__in",
                        [
                            "watcher_started",
                            "watcher_stopped",
                            "config_synced",
                            "config_refused",
                            "run_reported",
                            "file_uploaded",
                            "upload_failed",
                            "error",
                            "update_started",
                            "update_succeeded",
                            "update_failed",
                            "taken_over",
                            "instance_conflict",
                        ],
                    )
                ),
                name="event_type_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="wantedconfig",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    django.db.models.lookups.Exact(django.db.models.functions.text.Length("config_checksum"), 64),
                    models.Q(("config_checksum__regex", "[^0-9a-f]"), _negated=True),
                ),
                name="wanted_config_checksum_is_sha256",
            ),
        ),
        migrations.AddConstraint(
            model_name="wantedconfig",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("settled_at__isnull", True),
                        ("state", "waiting"),
                        ("refusal__isnull", True),
                        ("taken_checksum__isnull", True),
                    ),
                    models.Q(
                        ("settled_at__isnull", False),
                        ("state", "taken"),
                        ("refusal__isnull", True),
                        ("taken_checksum__isnull", False),
                    ),
                    models.Q(
                        ("settled_at__isnull", False),
                        ("state", "refused"),
                        ("refusal__isnull", False),
                        ("taken_checksum__isnull", True),
                    ),
                    _connector="OR",
                ),
                name="wanted_config_is_settled_as_its_state_says",
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="wantedconfig",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_insert",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "watchers_wantedconfigtrail" (pgh_created_at, pgh_label, pgh_obj_id, "watcher_id", changes, pgh_context) SELECT clock_timestamp(), \'insert\', NEW."watcher_id", NEW."watcher_id", CASE WHEN NEW."config_checksum" IS NOT NULL THEN jsonb_build_object(\'config_checksum\', jsonb_build_array(NULL, NEW."config_checksum")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."state" IS NOT NULL THEN jsonb_build_object(\'state\', jsonb_build_array(NULL, NEW."state")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."refusal" IS NOT NULL THEN jsonb_build_object(\'refusal\', jsonb_build_array(NULL, NEW."refusal")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."config_yaml" IS NOT NULL THEN jsonb_build_object(\'config_yaml\', jsonb_build_array(NULL, NEW."config_yaml")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="98794785f151a7731db67b67989a1b338f62a404",
                    operation="INSERT",
                    pgid="pgtrigger_trail_insert_c50a6",
                    table="watchers_wantedconfig",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="wantedconfig",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."config_checksum" IS DISTINCT FROM (NEW."config_checksum") OR OLD."refusal" IS DISTINCT FROM (NEW."refusal") OR OLD."state" IS DISTINCT FROM (NEW."state"))',
                    func='INSERT INTO "watchers_wantedconfigtrail" (pgh_created_at, pgh_label, pgh_obj_id, "watcher_id", changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."watcher_id", NEW."watcher_id", CASE WHEN OLD."config_checksum" IS DISTINCT FROM NEW."config_checksum" THEN jsonb_build_object(\'config_checksum\', jsonb_build_array(OLD."config_checksum", NEW."config_checksum")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."state" IS DISTINCT FROM NEW."state" THEN jsonb_build_object(\'state\', jsonb_build_array(OLD."state", NEW."state")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."refusal" IS DISTINCT FROM NEW."refusal" THEN jsonb_build_object(\'refusal\', jsonb_build_array(OLD."refusal", NEW."refusal")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."config_yaml" IS DISTINCT FROM NEW."config_yaml" THEN jsonb_build_object(\'config_yaml\', jsonb_build_array(OLD."config_yaml", NEW."config_yaml")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="a81a5d9b0c0f6991bf9480f808fee6889e897dc0",
                    operation='UPDATE OF "config_checksum", "state", "refusal"',
                    pgid="pgtrigger_trail_update_6e64e",
                    table="watchers_wantedconfig",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="wantedconfig",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_delete",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "watchers_wantedconfigtrail" (pgh_created_at, pgh_label, pgh_obj_id, "watcher_id", changes, pgh_context) SELECT clock_timestamp(), \'delete\', OLD."watcher_id", OLD."watcher_id", CASE WHEN OLD."config_checksum" IS NOT NULL THEN jsonb_build_object(\'config_checksum\', jsonb_build_array(OLD."config_checksum", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."state" IS NOT NULL THEN jsonb_build_object(\'state\', jsonb_build_array(OLD."state", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."refusal" IS NOT NULL THEN jsonb_build_object(\'refusal\', jsonb_build_array(OLD."refusal", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."config_yaml" IS NOT NULL THEN jsonb_build_object(\'config_yaml\', jsonb_build_array(OLD."config_yaml", NULL)) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="cbf7d425a2e5be397ec31dc0580a781a5d7e2646",
                    operation="DELETE",
                    pgid="pgtrigger_trail_delete_800c6",
                    table="watchers_wantedconfig",
                    when="AFTER",
                ),
            ),
        ),
        migrations.AddField(
            model_name="wantedconfigtrail",
            name="pgh_obj",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="watchers.wantedconfig",
            ),
        ),
        migrations.AddField(
            model_name="wantedconfigtrail",
            name="watcher",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="watchers.watcher",
            ),
        ),
        migrations.AddIndex(
            model_name="wantedconfigtrail",
            index=models.Index(fields=["watcher", "-pgh_id"], name="trail_of_wantedconfig"),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="wantedconfigtrail",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="b76ad8d88c7213316b60c37df195e4e17d1f0e90",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_7f839",
                    table="watchers_wantedconfigtrail",
                    when="BEFORE",
                ),
            ),
        ),
    ]
