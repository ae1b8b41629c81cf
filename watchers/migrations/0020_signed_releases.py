"""Releases carry a file with its signature, go out in waves and may be withdrawn; installers belong to them."""

import django.db.models.deletion
import django.db.models.functions.text
import django.db.models.lookups
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("watchers", "0019_wanted_config"),
    ]

    operations = [
        migrations.CreateModel(
            name="ReleaseInstaller",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "system",
                    models.CharField(
                        choices=[("windows", "Windows"), ("deb", "Debian, Ubuntu"), ("tar", "Linux")], max_length=7
                    ),
                ),
                ("filename", models.CharField(max_length=255)),
                ("size_bytes", models.BigIntegerField()),
                ("sha256", models.CharField(max_length=64)),
            ],
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="watcherrelease",
            name="trail_insert",
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="watcherrelease",
            name="trail_update",
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="watcherrelease",
            name="trail_delete",
        ),
        migrations.AddField(
            model_name="watcherrelease",
            name="sha256",
            field=models.CharField(editable=False, max_length=64, null=True),
        ),
        migrations.AddField(
            model_name="watcherrelease",
            name="signature",
            field=models.CharField(editable=False, max_length=88, null=True),
        ),
        migrations.AddField(
            model_name="watcherrelease",
            name="size_bytes",
            field=models.BigIntegerField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="watcherrelease",
            name="wave_percent",
            field=models.SmallIntegerField(default=100, help_text="Of the watchers, how many are told of it."),
        ),
        migrations.AddField(
            model_name="watcherrelease",
            name="withdrawn_at",
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="watcherrelease",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_insert",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "watchers_watcherreleasetrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'insert\', NEW."id", CASE WHEN NEW."channel" IS NOT NULL THEN jsonb_build_object(\'channel\', jsonb_build_array(NULL, NEW."channel")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."version" IS NOT NULL THEN jsonb_build_object(\'version\', jsonb_build_array(NULL, NEW."version")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."min_supported_version" IS NOT NULL THEN jsonb_build_object(\'min_supported_version\', jsonb_build_array(NULL, NEW."min_supported_version")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."mandatory" IS NOT NULL THEN jsonb_build_object(\'mandatory\', jsonb_build_array(NULL, NEW."mandatory")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."notes" IS NOT NULL THEN jsonb_build_object(\'notes\', jsonb_build_array(NULL, NEW."notes")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."sha256" IS NOT NULL THEN jsonb_build_object(\'sha256\', jsonb_build_array(NULL, NEW."sha256")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."size_bytes" IS NOT NULL THEN jsonb_build_object(\'size_bytes\', jsonb_build_array(NULL, NEW."size_bytes")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."signature" IS NOT NULL THEN jsonb_build_object(\'signature\', jsonb_build_array(NULL, NEW."signature")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."wave_percent" IS NOT NULL THEN jsonb_build_object(\'wave_percent\', jsonb_build_array(NULL, NEW."wave_percent")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."published_at" IS NOT NULL THEN jsonb_build_object(\'published_at\', jsonb_build_array(NULL, to_char(NEW."published_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN NEW."withdrawn_at" IS NOT NULL THEN jsonb_build_object(\'withdrawn_at\', jsonb_build_array(NULL, to_char(NEW."withdrawn_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="aef2f8dcc6963c900997df4579e25ce45cb5779d",
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
                    condition='WHEN (OLD."channel" IS DISTINCT FROM (NEW."channel") OR OLD."mandatory" IS DISTINCT FROM (NEW."mandatory") OR OLD."min_supported_version" IS DISTINCT FROM (NEW."min_supported_version") OR OLD."notes" IS DISTINCT FROM (NEW."notes") OR OLD."published_at" IS DISTINCT FROM (NEW."published_at") OR OLD."sha256" IS DISTINCT FROM (NEW."sha256") OR OLD."signature" IS DISTINCT FROM (NEW."signature") OR OLD."size_bytes" IS DISTINCT FROM (NEW."size_bytes") OR OLD."version" IS DISTINCT FROM (NEW."version") OR OLD."wave_percent" IS DISTINCT FROM (NEW."wave_percent") OR OLD."withdrawn_at" IS DISTINCT FROM (NEW."withdrawn_at"))',
                    func='INSERT INTO "watchers_watcherreleasetrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", CASE WHEN OLD."channel" IS DISTINCT FROM NEW."channel" THEN jsonb_build_object(\'channel\', jsonb_build_array(OLD."channel", NEW."channel")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."version" IS DISTINCT FROM NEW."version" THEN jsonb_build_object(\'version\', jsonb_build_array(OLD."version", NEW."version")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."min_supported_version" IS DISTINCT FROM NEW."min_supported_version" THEN jsonb_build_object(\'min_supported_version\', jsonb_build_array(OLD."min_supported_version", NEW."min_supported_version")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."mandatory" IS DISTINCT FROM NEW."mandatory" THEN jsonb_build_object(\'mandatory\', jsonb_build_array(OLD."mandatory", NEW."mandatory")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."notes" IS DISTINCT FROM NEW."notes" THEN jsonb_build_object(\'notes\', jsonb_build_array(OLD."notes", NEW."notes")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."sha256" IS DISTINCT FROM NEW."sha256" THEN jsonb_build_object(\'sha256\', jsonb_build_array(OLD."sha256", NEW."sha256")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."size_bytes" IS DISTINCT FROM NEW."size_bytes" THEN jsonb_build_object(\'size_bytes\', jsonb_build_array(OLD."size_bytes", NEW."size_bytes")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."signature" IS DISTINCT FROM NEW."signature" THEN jsonb_build_object(\'signature\', jsonb_build_array(OLD."signature", NEW."signature")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."wave_percent" IS DISTINCT FROM NEW."wave_percent" THEN jsonb_build_object(\'wave_percent\', jsonb_build_array(OLD."wave_percent", NEW."wave_percent")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."published_at" IS DISTINCT FROM NEW."published_at" THEN jsonb_build_object(\'published_at\', jsonb_build_array(to_char(OLD."published_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."published_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN OLD."withdrawn_at" IS DISTINCT FROM NEW."withdrawn_at" THEN jsonb_build_object(\'withdrawn_at\', jsonb_build_array(to_char(OLD."withdrawn_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."withdrawn_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="f5904f841b75f12922aeac0fc3c13c8ed7ef09e0",
                    operation='UPDATE OF "channel", "version", "min_supported_version", "mandatory", "notes", "sha256", "size_bytes", "signature", "wave_percent", "published_at", "withdrawn_at"',
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
                    func='INSERT INTO "watchers_watcherreleasetrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'delete\', OLD."id", CASE WHEN OLD."channel" IS NOT NULL THEN jsonb_build_object(\'channel\', jsonb_build_array(OLD."channel", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."version" IS NOT NULL THEN jsonb_build_object(\'version\', jsonb_build_array(OLD."version", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."min_supported_version" IS NOT NULL THEN jsonb_build_object(\'min_supported_version\', jsonb_build_array(OLD."min_supported_version", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."mandatory" IS NOT NULL THEN jsonb_build_object(\'mandatory\', jsonb_build_array(OLD."mandatory", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."notes" IS NOT NULL THEN jsonb_build_object(\'notes\', jsonb_build_array(OLD."notes", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."sha256" IS NOT NULL THEN jsonb_build_object(\'sha256\', jsonb_build_array(OLD."sha256", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."size_bytes" IS NOT NULL THEN jsonb_build_object(\'size_bytes\', jsonb_build_array(OLD."size_bytes", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."signature" IS NOT NULL THEN jsonb_build_object(\'signature\', jsonb_build_array(OLD."signature", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."wave_percent" IS NOT NULL THEN jsonb_build_object(\'wave_percent\', jsonb_build_array(OLD."wave_percent", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."published_at" IS NOT NULL THEN jsonb_build_object(\'published_at\', jsonb_build_array(to_char(OLD."published_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."withdrawn_at" IS NOT NULL THEN jsonb_build_object(\'withdrawn_at\', jsonb_build_array(to_char(OLD."withdrawn_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), NULL)) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="ad30ba05008add43dd469d412f3b584a33aec7bb",
                    operation="DELETE",
                    pgid="pgtrigger_trail_delete_6cdaf",
                    table="watchers_watcherrelease",
                    when="AFTER",
                ),
            ),
        ),
        migrations.AddConstraint(
            model_name="watcherrelease",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    django.db.models.lookups.Exact(django.db.models.functions.text.Length("sha256"), 64),
                    models.Q(("sha256__regex", "[^0-9a-f]"), _negated=True),
                ),
                name="release_sha256_is_sha256",
            ),
        ),
        migrations.AddConstraint(
            model_name="watcherrelease",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("sha256__isnull", True), ("signature__isnull", True), ("size_bytes__isnull", True)),
                    models.Q(("sha256__isnull", False), ("size_bytes__gt", 0), ("size_bytes__isnull", False)),
                    _connector="OR",
                ),
                name="release_file_is_told_whole",
            ),
        ),
        migrations.AddConstraint(
            model_name="watcherrelease",
            constraint=models.CheckConstraint(
                condition=models.Q(("wave_percent__gte", 0), ("wave_percent__lte", 100)),
                name="release_wave_is_a_percentage",
            ),
        ),
        migrations.AddConstraint(
            model_name="watcherrelease",
            constraint=models.CheckConstraint(
                condition=models.Q(("withdrawn_at__isnull", True), ("published_at__isnull", False), _connector="OR"),
                name="withdrawn_release_was_published",
            ),
        ),
        migrations.AddField(
            model_name="releaseinstaller",
            name="release",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="installers",
                to="watchers.watcherrelease",
            ),
        ),
        migrations.AddConstraint(
            model_name="releaseinstaller",
            constraint=models.UniqueConstraint(
                fields=("release", "system"), name="one_installer_per_release_and_system"
            ),
        ),
        migrations.AddConstraint(
            model_name="releaseinstaller",
            constraint=models.CheckConstraint(
                condition=models.Q(("system__in", ["windows", "deb", "tar"])), name="installer_system_is_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="releaseinstaller",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    django.db.models.lookups.Exact(django.db.models.functions.text.Length("sha256"), 64),
                    models.Q(("sha256__regex", "[^0-9a-f]"), _negated=True),
                ),
                name="installer_sha256_is_sha256",
            ),
        ),
        migrations.AddConstraint(
            model_name="releaseinstaller",
            constraint=models.CheckConstraint(condition=models.Q(("size_bytes__gt", 0)), name="installer_is_not_empty"),
        ),
    ]
