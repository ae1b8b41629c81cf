"""Rules of people, and their mail of the day; announcements name the comment they tell of and whom they are for."""

# online: announcements and deliveries are of the last two weeks, preferences are few

import django.contrib.postgres.fields
import django.db.models.deletion
import pgtrigger.compiler
import pgtrigger.migrations
from django.conf import settings
from django.db import migrations, models

import wire.clock
import wire.ids


class Migration(migrations.Migration):
    dependencies = [
        ("instruments", "0008_days_of_retention"),
        ("notifications", "0011_kinds_of_mentions_and_rules"),
        ("runs", "0024_mentions_and_eln"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Digest",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("day", models.DateField()),
                ("created_at", models.DateTimeField(default=wire.clock.now, editable=False)),
                ("attempts", models.IntegerField(default=0)),
                ("lease_id", models.UUIDField(editable=False, null=True)),
                ("lease_until", models.DateTimeField(editable=False, null=True)),
                ("sent_at", models.DateTimeField(null=True)),
                ("refused_at", models.DateTimeField(null=True)),
                ("error_message", models.TextField(blank=True)),
            ],
        ),
        migrations.CreateModel(
            name="NotificationRule",
            fields=[
                ("id", models.UUIDField(default=wire.ids.new_id, editable=False, primary_key=True, serialize=False)),
                (
                    "event",
                    models.CharField(
                        choices=[
                            ("run_completed", "is completed"),
                            ("run_failed", "fails"),
                            ("file_failed", "has a file that cannot be read"),
                            ("comment", "is commented on"),
                            ("archive_ready", "is packed for download"),
                            ("watcher_silent", "falls silent"),
                        ],
                        max_length=16,
                    ),
                ),
                (
                    "whose",
                    models.CharField(
                        choices=[("anybody", "any run"), ("mine", "a run of mine"), ("person", "a run of")],
                        default="anybody",
                        max_length=8,
                    ),
                ),
                ("tag", models.CharField(blank=True, default="", max_length=64)),
                ("in_app", models.BooleanField(default=True)),
                ("email", models.BooleanField(default=False)),
                ("paused_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(default=wire.clock.now, editable=False)),
            ],
        ),
        migrations.CreateModel(
            name="NotificationRuleTrail",
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
                "verbose_name": "notification rule change",
                "verbose_name_plural": "notification rule changes",
                "abstract": False,
            },
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="preference",
            name="trail_update",
        ),
        migrations.AddField(
            model_name="announcement",
            name="comment",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="runs.comment",
            ),
        ),
        migrations.AddField(
            model_name="announcement",
            name="recipient_ids",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.UUIDField(), editable=False, null=True, size=None
            ),
        ),
        migrations.AddField(
            model_name="emaildelivery",
            name="is_daily",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name="preference",
            name="email_daily",
            field=models.BooleanField(db_default=False, default=False),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="preference",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."chat" IS DISTINCT FROM (NEW."chat") OR OLD."email" IS DISTINCT FROM (NEW."email") OR OLD."email_daily" IS DISTINCT FROM (NEW."email_daily") OR OLD."in_app" IS DISTINCT FROM (NEW."in_app") OR OLD."kind" IS DISTINCT FROM (NEW."kind") OR OLD."user_id" IS DISTINCT FROM (NEW."user_id"))',
                    func='INSERT INTO "notifications_preferencetrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", CASE WHEN OLD."user_id" IS DISTINCT FROM NEW."user_id" THEN jsonb_build_object(\'user_id\', jsonb_build_array(OLD."user_id", NEW."user_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."kind" IS DISTINCT FROM NEW."kind" THEN jsonb_build_object(\'kind\', jsonb_build_array(OLD."kind", NEW."kind")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."in_app" IS DISTINCT FROM NEW."in_app" THEN jsonb_build_object(\'in_app\', jsonb_build_array(OLD."in_app", NEW."in_app")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."chat" IS DISTINCT FROM NEW."chat" THEN jsonb_build_object(\'chat\', jsonb_build_array(OLD."chat", NEW."chat")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."email" IS DISTINCT FROM NEW."email" THEN jsonb_build_object(\'email\', jsonb_build_array(OLD."email", NEW."email")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."email_daily" IS DISTINCT FROM NEW."email_daily" THEN jsonb_build_object(\'email_daily\', jsonb_build_array(OLD."email_daily", NEW."email_daily")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="d31bb8242071a1539c7221da959d8b5e5da6b442",
                    operation='UPDATE OF "user_id", "kind", "in_app", "chat", "email", "email_daily"',
                    pgid="pgtrigger_trail_update_dd547",
                    table="notifications_preference",
                    when="AFTER",
                ),
            ),
        ),
        migrations.AddField(
            model_name="digest",
            name="user",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="digests",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="emaildelivery",
            name="digest",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="deliveries",
                to="notifications.digest",
            ),
        ),
        migrations.AddIndex(
            model_name="emaildelivery",
            index=models.Index(
                condition=models.Q(("digest__isnull", False)), fields=["digest"], name="email_deliveries_of_digest"
            ),
        ),
        migrations.AddField(
            model_name="notificationrule",
            name="instrument",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="instruments.instrument",
            ),
        ),
        migrations.AddField(
            model_name="notificationrule",
            name="person",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="notificationrule",
            name="project",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="runs.project",
            ),
        ),
        migrations.AddField(
            model_name="notificationrule",
            name="user",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="notification_rules",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="notificationruletrail",
            name="pgh_obj",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="notifications.notificationrule",
            ),
        ),
        migrations.AddIndex(
            model_name="digest",
            index=models.Index(
                condition=models.Q(("refused_at__isnull", True), ("sent_at__isnull", True)),
                fields=["id"],
                name="digests_waiting",
            ),
        ),
        migrations.AddConstraint(
            model_name="digest",
            constraint=models.UniqueConstraint(fields=("user", "day"), name="one_digest_per_person_and_day"),
        ),
        migrations.AddConstraint(
            model_name="digest",
            constraint=models.CheckConstraint(
                condition=models.Q(("sent_at__isnull", True), ("refused_at__isnull", True), _connector="OR"),
                name="digest_ends_one_way",
            ),
        ),
        migrations.AddIndex(
            model_name="notificationrule",
            index=models.Index(
                condition=models.Q(("paused_at__isnull", True)), fields=["event"], name="rules_by_event"
            ),
        ),
        migrations.AddConstraint(
            model_name="notificationrule",
            constraint=models.UniqueConstraint(
                fields=("user", "event", "whose", "person", "instrument", "project", "tag"),
                name="one_rule_per_wish",
                nulls_distinct=False,
            ),
        ),
        migrations.AddConstraint(
            model_name="notificationrule",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "event__in",
                        ["run_completed", "run_failed", "file_failed", "comment", "archive_ready", "watcher_silent"],
                    )
                ),
                name="rule_event_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="notificationrule",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("person__isnull", False), ("whose", "person")),
                    models.Q(("person__isnull", True), ("whose__in", ["anybody", "mine"])),
                    _connector="OR",
                ),
                name="rule_names_a_person_or_none",
            ),
        ),
        migrations.AddConstraint(
            model_name="notificationrule",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("event", "watcher_silent"), _negated=True),
                    models.Q(("project__isnull", True), ("tag", ""), ("whose", "anybody")),
                    _connector="OR",
                ),
                name="rule_of_a_watcher_names_an_instrument_or_none",
            ),
        ),
        migrations.AddConstraint(
            model_name="notificationrule",
            constraint=models.CheckConstraint(
                condition=models.Q(("in_app", True), ("email", True), _connector="OR"), name="rule_reaches_somewhere"
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="notificationrule",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_insert",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "notifications_notificationruletrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'insert\', NEW."id", CASE WHEN NEW."user_id" IS NOT NULL THEN jsonb_build_object(\'user_id\', jsonb_build_array(NULL, NEW."user_id")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."event" IS NOT NULL THEN jsonb_build_object(\'event\', jsonb_build_array(NULL, NEW."event")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."whose" IS NOT NULL THEN jsonb_build_object(\'whose\', jsonb_build_array(NULL, NEW."whose")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."person_id" IS NOT NULL THEN jsonb_build_object(\'person_id\', jsonb_build_array(NULL, NEW."person_id")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."instrument_id" IS NOT NULL THEN jsonb_build_object(\'instrument_id\', jsonb_build_array(NULL, NEW."instrument_id")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."project_id" IS NOT NULL THEN jsonb_build_object(\'project_id\', jsonb_build_array(NULL, NEW."project_id")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."tag" IS NOT NULL THEN jsonb_build_object(\'tag\', jsonb_build_array(NULL, NEW."tag")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."in_app" IS NOT NULL THEN jsonb_build_object(\'in_app\', jsonb_build_array(NULL, NEW."in_app")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."email" IS NOT NULL THEN jsonb_build_object(\'email\', jsonb_build_array(NULL, NEW."email")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."paused_at" IS NOT NULL THEN jsonb_build_object(\'paused_at\', jsonb_build_array(NULL, to_char(NEW."paused_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="c3d380baa5c391c934da396d280f36d49afa5c37",
                    operation="INSERT",
                    pgid="pgtrigger_trail_insert_e9ce3",
                    table="notifications_notificationrule",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="notificationrule",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."email" IS DISTINCT FROM (NEW."email") OR OLD."event" IS DISTINCT FROM (NEW."event") OR OLD."in_app" IS DISTINCT FROM (NEW."in_app") OR OLD."instrument_id" IS DISTINCT FROM (NEW."instrument_id") OR OLD."paused_at" IS DISTINCT FROM (NEW."paused_at") OR OLD."person_id" IS DISTINCT FROM (NEW."person_id") OR OLD."project_id" IS DISTINCT FROM (NEW."project_id") OR OLD."tag" IS DISTINCT FROM (NEW."tag") OR OLD."user_id" IS DISTINCT FROM (NEW."user_id") OR OLD."whose" IS DISTINCT FROM (NEW."whose"))',
                    func='INSERT INTO "notifications_notificationruletrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", CASE WHEN OLD."user_id" IS DISTINCT FROM NEW."user_id" THEN jsonb_build_object(\'user_id\', jsonb_build_array(OLD."user_id", NEW."user_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."event" IS DISTINCT FROM NEW."event" THEN jsonb_build_object(\'event\', jsonb_build_array(OLD."event", NEW."event")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."whose" IS DISTINCT FROM NEW."whose" THEN jsonb_build_object(\'whose\', jsonb_build_array(OLD."whose", NEW."whose")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."person_id" IS DISTINCT FROM NEW."person_id" THEN jsonb_build_object(\'person_id\', jsonb_build_array(OLD."person_id", NEW."person_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."instrument_id" IS DISTINCT FROM NEW."instrument_id" THEN jsonb_build_object(\'instrument_id\', jsonb_build_array(OLD."instrument_id", NEW."instrument_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."project_id" IS DISTINCT FROM NEW."project_id" THEN jsonb_build_object(\'project_id\', jsonb_build_array(OLD."project_id", NEW."project_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."tag" IS DISTINCT FROM NEW."tag" THEN jsonb_build_object(\'tag\', jsonb_build_array(OLD."tag", NEW."tag")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."in_app" IS DISTINCT FROM NEW."in_app" THEN jsonb_build_object(\'in_app\', jsonb_build_array(OLD."in_app", NEW."in_app")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."email" IS DISTINCT FROM NEW."email" THEN jsonb_build_object(\'email\', jsonb_build_array(OLD."email", NEW."email")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."paused_at" IS DISTINCT FROM NEW."paused_at" THEN jsonb_build_object(\'paused_at\', jsonb_build_array(to_char(OLD."paused_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."paused_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="80e585743452ce9d56b042e442d3e9d2f6af88b3",
                    operation='UPDATE OF "user_id", "event", "whose", "person_id", "instrument_id", "project_id", "tag", "in_app", "email", "paused_at"',
                    pgid="pgtrigger_trail_update_6e045",
                    table="notifications_notificationrule",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="notificationrule",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_delete",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "notifications_notificationruletrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'delete\', OLD."id", CASE WHEN OLD."user_id" IS NOT NULL THEN jsonb_build_object(\'user_id\', jsonb_build_array(OLD."user_id", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."event" IS NOT NULL THEN jsonb_build_object(\'event\', jsonb_build_array(OLD."event", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."whose" IS NOT NULL THEN jsonb_build_object(\'whose\', jsonb_build_array(OLD."whose", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."person_id" IS NOT NULL THEN jsonb_build_object(\'person_id\', jsonb_build_array(OLD."person_id", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."instrument_id" IS NOT NULL THEN jsonb_build_object(\'instrument_id\', jsonb_build_array(OLD."instrument_id", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."project_id" IS NOT NULL THEN jsonb_build_object(\'project_id\', jsonb_build_array(OLD."project_id", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."tag" IS NOT NULL THEN jsonb_build_object(\'tag\', jsonb_build_array(OLD."tag", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."in_app" IS NOT NULL THEN jsonb_build_object(\'in_app\', jsonb_build_array(OLD."in_app", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."email" IS NOT NULL THEN jsonb_build_object(\'email\', jsonb_build_array(OLD."email", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."paused_at" IS NOT NULL THEN jsonb_build_object(\'paused_at\', jsonb_build_array(to_char(OLD."paused_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), NULL)) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="acdba3a7993fd94b345b7a1e23515ad886c8f3d7",
                    operation="DELETE",
                    pgid="pgtrigger_trail_delete_766b9",
                    table="notifications_notificationrule",
                    when="AFTER",
                ),
            ),
        ),
        migrations.AddIndex(
            model_name="notificationruletrail",
            index=models.Index(fields=["pgh_obj", "-pgh_id"], name="trail_of_notificationrule"),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="notificationruletrail",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="a019d65c8ffcd224a67479db6c312d2e903828de",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_33dd5",
                    table="notifications_notificationruletrail",
                    when="BEFORE",
                ),
            ),
        ),
    ]
