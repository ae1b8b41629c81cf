"""The trail of watchers and of the releases of the agent."""

import django.db.models.deletion
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0003_trail"),
        ("instruments", "0002_trail"),
        ("watchers", "0010_quick_checks"),
    ]

    operations = [
        migrations.CreateModel(
            name="WatcherReleaseTrail",
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
                "verbose_name": "watcher release change",
                "verbose_name_plural": "watcher release changes",
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="WatcherTrail",
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
                "verbose_name": "watcher change",
                "verbose_name_plural": "watcher changes",
                "abstract": False,
            },
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="watcher",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_insert",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "watchers_watchertrail" (pgh_created_at, pgh_label, pgh_obj_id, "instrument_id", changes, pgh_context) SELECT clock_timestamp(), \'insert\', NEW."id", NEW."instrument_id", CASE WHEN NEW."token_id" IS NOT NULL THEN jsonb_build_object(\'token_id\', jsonb_build_array(NULL, NEW."token_id")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."hostname" IS NOT NULL THEN jsonb_build_object(\'hostname\', jsonb_build_array(NULL, NEW."hostname")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."os_info" IS NOT NULL THEN jsonb_build_object(\'os_info\', jsonb_build_array(NULL, NEW."os_info")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."agent_version" IS NOT NULL THEN jsonb_build_object(\'agent_version\', jsonb_build_array(NULL, NEW."agent_version")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."channel" IS NOT NULL THEN jsonb_build_object(\'channel\', jsonb_build_array(NULL, NEW."channel")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."status" IS NOT NULL THEN jsonb_build_object(\'status\', jsonb_build_array(NULL, NEW."status")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."upload_mode" IS NOT NULL THEN jsonb_build_object(\'upload_mode\', jsonb_build_array(NULL, NEW."upload_mode")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."watch_directory" IS NOT NULL THEN jsonb_build_object(\'watch_directory\', jsonb_build_array(NULL, NEW."watch_directory")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."config_checksum" IS NOT NULL THEN jsonb_build_object(\'config_checksum\', jsonb_build_array(NULL, NEW."config_checksum")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."file_patterns" IS NOT NULL THEN jsonb_build_object(\'file_patterns\', jsonb_build_array(NULL, NEW."file_patterns")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."deleted_at" IS NOT NULL THEN jsonb_build_object(\'deleted_at\', jsonb_build_array(NULL, to_char(NEW."deleted_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN NEW."config_yaml" IS NOT NULL THEN jsonb_build_object(\'config_yaml\', jsonb_build_array(NULL, NEW."config_yaml")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="cac8b82cece36e764518587ad01cf9c48982334c",
                    operation="INSERT",
                    pgid="pgtrigger_trail_insert_af1b3",
                    table="watchers_watcher",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="watcher",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."agent_version" IS DISTINCT FROM (NEW."agent_version") OR OLD."channel" IS DISTINCT FROM (NEW."channel") OR OLD."config_checksum" IS DISTINCT FROM (NEW."config_checksum") OR OLD."deleted_at" IS DISTINCT FROM (NEW."deleted_at") OR OLD."file_patterns" IS DISTINCT FROM (NEW."file_patterns") OR OLD."hostname" IS DISTINCT FROM (NEW."hostname") OR OLD."os_info" IS DISTINCT FROM (NEW."os_info") OR OLD."status" IS DISTINCT FROM (NEW."status") OR OLD."token_id" IS DISTINCT FROM (NEW."token_id") OR OLD."upload_mode" IS DISTINCT FROM (NEW."upload_mode") OR OLD."watch_directory" IS DISTINCT FROM (NEW."watch_directory"))',
                    func='INSERT INTO "watchers_watchertrail" (pgh_created_at, pgh_label, pgh_obj_id, "instrument_id", changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", NEW."instrument_id", CASE WHEN OLD."token_id" IS DISTINCT FROM NEW."token_id" THEN jsonb_build_object(\'token_id\', jsonb_build_array(OLD."token_id", NEW."token_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."hostname" IS DISTINCT FROM NEW."hostname" THEN jsonb_build_object(\'hostname\', jsonb_build_array(OLD."hostname", NEW."hostname")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."os_info" IS DISTINCT FROM NEW."os_info" THEN jsonb_build_object(\'os_info\', jsonb_build_array(OLD."os_info", NEW."os_info")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."agent_version" IS DISTINCT FROM NEW."agent_version" THEN jsonb_build_object(\'agent_version\', jsonb_build_array(OLD."agent_version", NEW."agent_version")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."channel" IS DISTINCT FROM NEW."channel" THEN jsonb_build_object(\'channel\', jsonb_build_array(OLD."channel", NEW."channel")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."status" IS DISTINCT FROM NEW."status" THEN jsonb_build_object(\'status\', jsonb_build_array(OLD."status", NEW."status")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."upload_mode" IS DISTINCT FROM NEW."upload_mode" THEN jsonb_build_object(\'upload_mode\', jsonb_build_array(OLD."upload_mode", NEW."upload_mode")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."watch_directory" IS DISTINCT FROM NEW."watch_directory" THEN jsonb_build_object(\'watch_directory\', jsonb_build_array(OLD."watch_directory", NEW."watch_directory")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."config_checksum" IS DISTINCT FROM NEW."config_checksum" THEN jsonb_build_object(\'config_checksum\', jsonb_build_array(OLD."config_checksum", NEW."config_checksum")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."file_patterns" IS DISTINCT FROM NEW."file_patterns" THEN jsonb_build_object(\'file_patterns\', jsonb_build_array(OLD."file_patterns", NEW."file_patterns")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."deleted_at" IS DISTINCT FROM NEW."deleted_at" THEN jsonb_build_object(\'deleted_at\', jsonb_build_array(to_char(OLD."deleted_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."deleted_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN OLD."config_yaml" IS DISTINCT FROM NEW."config_yaml" THEN jsonb_build_object(\'config_yaml\', jsonb_build_array(OLD."config_yaml", NEW."config_yaml")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="0d0685db109e5d92b9a95a3d2d79c8c74c8c6fa9",
                    operation='UPDATE OF "token_id", "hostname", "os_info", "agent_version", "channel", "status", "upload_mode", "watch_directory", "config_checksum", "file_patterns", "deleted_at"',
                    pgid="pgtrigger_trail_update_37436",
                    table="watchers_watcher",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="watcher",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_delete",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "watchers_watchertrail" (pgh_created_at, pgh_label, pgh_obj_id, "instrument_id", changes, pgh_context) SELECT clock_timestamp(), \'delete\', OLD."id", OLD."instrument_id", CASE WHEN OLD."token_id" IS NOT NULL THEN jsonb_build_object(\'token_id\', jsonb_build_array(OLD."token_id", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."hostname" IS NOT NULL THEN jsonb_build_object(\'hostname\', jsonb_build_array(OLD."hostname", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."os_info" IS NOT NULL THEN jsonb_build_object(\'os_info\', jsonb_build_array(OLD."os_info", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."agent_version" IS NOT NULL THEN jsonb_build_object(\'agent_version\', jsonb_build_array(OLD."agent_version", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."channel" IS NOT NULL THEN jsonb_build_object(\'channel\', jsonb_build_array(OLD."channel", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."status" IS NOT NULL THEN jsonb_build_object(\'status\', jsonb_build_array(OLD."status", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."upload_mode" IS NOT NULL THEN jsonb_build_object(\'upload_mode\', jsonb_build_array(OLD."upload_mode", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."watch_directory" IS NOT NULL THEN jsonb_build_object(\'watch_directory\', jsonb_build_array(OLD."watch_directory", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."config_checksum" IS NOT NULL THEN jsonb_build_object(\'config_checksum\', jsonb_build_array(OLD."config_checksum", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."file_patterns" IS NOT NULL THEN jsonb_build_object(\'file_patterns\', jsonb_build_array(OLD."file_patterns", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."deleted_at" IS NOT NULL THEN jsonb_build_object(\'deleted_at\', jsonb_build_array(to_char(OLD."deleted_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."config_yaml" IS NOT NULL THEN jsonb_build_object(\'config_yaml\', jsonb_build_array(OLD."config_yaml", NULL)) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="7ef8dbf95dc645c01302e8c3ea39d1c1f0439afe",
                    operation="DELETE",
                    pgid="pgtrigger_trail_delete_4bb2c",
                    table="watchers_watcher",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="watcherrelease",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_insert",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "watchers_watcherreleasetrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'insert\', NEW."id", CASE WHEN NEW."channel" IS NOT NULL THEN jsonb_build_object(\'channel\', jsonb_build_array(NULL, NEW."channel")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."version" IS NOT NULL THEN jsonb_build_object(\'version\', jsonb_build_array(NULL, NEW."version")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."min_supported_version" IS NOT NULL THEN jsonb_build_object(\'min_supported_version\', jsonb_build_array(NULL, NEW."min_supported_version")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."mandatory" IS NOT NULL THEN jsonb_build_object(\'mandatory\', jsonb_build_array(NULL, NEW."mandatory")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."notes" IS NOT NULL THEN jsonb_build_object(\'notes\', jsonb_build_array(NULL, NEW."notes")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."published_at" IS NOT NULL THEN jsonb_build_object(\'published_at\', jsonb_build_array(NULL, to_char(NEW."published_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="1282d372864f22314745736696ec1bf234bb054c",
                    operation="INSERT",
                    pgid="pgtrigger_trail_insert_e04a1",
                    table="watchers_watcherrelease",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="watcherrelease",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."channel" IS DISTINCT FROM (NEW."channel") OR OLD."mandatory" IS DISTINCT FROM (NEW."mandatory") OR OLD."min_supported_version" IS DISTINCT FROM (NEW."min_supported_version") OR OLD."notes" IS DISTINCT FROM (NEW."notes") OR OLD."published_at" IS DISTINCT FROM (NEW."published_at") OR OLD."version" IS DISTINCT FROM (NEW."version"))',
                    func='INSERT INTO "watchers_watcherreleasetrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", CASE WHEN OLD."channel" IS DISTINCT FROM NEW."channel" THEN jsonb_build_object(\'channel\', jsonb_build_array(OLD."channel", NEW."channel")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."version" IS DISTINCT FROM NEW."version" THEN jsonb_build_object(\'version\', jsonb_build_array(OLD."version", NEW."version")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."min_supported_version" IS DISTINCT FROM NEW."min_supported_version" THEN jsonb_build_object(\'min_supported_version\', jsonb_build_array(OLD."min_supported_version", NEW."min_supported_version")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."mandatory" IS DISTINCT FROM NEW."mandatory" THEN jsonb_build_object(\'mandatory\', jsonb_build_array(OLD."mandatory", NEW."mandatory")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."notes" IS DISTINCT FROM NEW."notes" THEN jsonb_build_object(\'notes\', jsonb_build_array(OLD."notes", NEW."notes")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."published_at" IS DISTINCT FROM NEW."published_at" THEN jsonb_build_object(\'published_at\', jsonb_build_array(to_char(OLD."published_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."published_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="c5100c281b72d79a1ec29a696a964b3d0aea3264",
                    operation='UPDATE OF "channel", "version", "min_supported_version", "mandatory", "notes", "published_at"',
                    pgid="pgtrigger_trail_update_98130",
                    table="watchers_watcherrelease",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="watcherrelease",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_delete",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "watchers_watcherreleasetrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'delete\', OLD."id", CASE WHEN OLD."channel" IS NOT NULL THEN jsonb_build_object(\'channel\', jsonb_build_array(OLD."channel", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."version" IS NOT NULL THEN jsonb_build_object(\'version\', jsonb_build_array(OLD."version", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."min_supported_version" IS NOT NULL THEN jsonb_build_object(\'min_supported_version\', jsonb_build_array(OLD."min_supported_version", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."mandatory" IS NOT NULL THEN jsonb_build_object(\'mandatory\', jsonb_build_array(OLD."mandatory", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."notes" IS NOT NULL THEN jsonb_build_object(\'notes\', jsonb_build_array(OLD."notes", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."published_at" IS NOT NULL THEN jsonb_build_object(\'published_at\', jsonb_build_array(to_char(OLD."published_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), NULL)) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="1420dbdbff8269b1329e0dddd55916f8a09cc32e",
                    operation="DELETE",
                    pgid="pgtrigger_trail_delete_6cdaf",
                    table="watchers_watcherrelease",
                    when="AFTER",
                ),
            ),
        ),
        migrations.AddField(
            model_name="watcherreleasetrail",
            name="pgh_obj",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="watchers.watcherrelease",
            ),
        ),
        migrations.AddField(
            model_name="watchertrail",
            name="instrument",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="instruments.instrument",
            ),
        ),
        migrations.AddField(
            model_name="watchertrail",
            name="pgh_obj",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="watchers.watcher",
            ),
        ),
        migrations.AddIndex(
            model_name="watcherreleasetrail",
            index=models.Index(fields=["pgh_obj", "-pgh_id"], name="trail_of_watcherrelease"),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="watcherreleasetrail",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="f8ff2fe9f5d7a6302811fe4bbf08b50c1575e6f9",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_7825b",
                    table="watchers_watcherreleasetrail",
                    when="BEFORE",
                ),
            ),
        ),
        migrations.AddIndex(
            model_name="watchertrail",
            index=models.Index(fields=["instrument", "-pgh_id"], name="trail_of_watcher"),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="watchertrail",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="1202a7d8f0907669f8b12c9572b1739ad02c50ac",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_1cd87",
                    table="watchers_watchertrail",
                    when="BEFORE",
                ),
            ),
        ),
    ]
