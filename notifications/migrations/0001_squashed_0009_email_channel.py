# online: on a database that has tables already, nothing is run
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
    """What the migrations that it replaces make one after the other, in one step: a new database starts with it."""

    replaces = [
        ("notifications", "0001_notifications"),
        ("notifications", "0002_quick_checks"),
        ("notifications", "0003_chat_deliveries"),
        ("notifications", "0004_trail"),
        ("notifications", "0005_plural_of_delivery"),
        ("notifications", "0006_delivery_leases"),
        ("notifications", "0007_kinds_of_folders"),
        ("notifications", "0008_joined_announcements"),
        ("notifications", "0009_email_channel"),
    ]

    initial = True

    dependencies = [
        ("accounts", "__first__"),
        ("instruments", "0001_squashed_0004_changes_are_recorded"),
        ("runs", "0001_squashed_0015_expressions_of_metadata"),
    ]

    operations = [
        migrations.CreateModel(
            name="Follow",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "instrument",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="followers",
                        to="instruments.instrument",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="follows",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("user", "instrument"), name="one_follow_per_instrument")
                ],
            },
        ),
        migrations.CreateModel(
            name="FollowTrail",
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
                        to="notifications.follow",
                    ),
                ),
            ],
            options={
                "verbose_name": "follow change",
                "verbose_name_plural": "follow changes",
                "abstract": False,
                "indexes": [models.Index(fields=["pgh_obj", "-pgh_id"], name="trail_of_follow")],
            },
        ),
        migrations.CreateModel(
            name="Notification",
            fields=[
                ("id", models.UUIDField(default=wire.ids.new_id, editable=False, primary_key=True, serialize=False)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("run_created", "New run"),
                            ("run_failed", "Failed run"),
                            ("comment", "Comment"),
                            ("generic", "Message"),
                            ("watcher_offline", "Watcher offline"),
                            ("watcher_online", "Watcher online"),
                            ("folder_away", "Folder away"),
                            ("no_files", "No new files"),
                            ("instance_conflict", "Two computers as one watcher"),
                            ("feedback_updated", "Feedback"),
                        ],
                        max_length=32,
                    ),
                ),
                ("message", models.TextField()),
                ("message_sha256", models.CharField(editable=False, max_length=64)),
                (
                    "sender_kind",
                    models.CharField(
                        choices=[("token", "Token"), ("person", "Person"), ("service", "Service")], max_length=7
                    ),
                ),
                ("sender_id", models.UUIDField(null=True)),
                ("sender_name", models.CharField(max_length=100)),
                ("in_app", models.BooleanField(default=True)),
                ("read_at", models.DateTimeField(null=True)),
                ("created_at", models.DateTimeField(default=wire.clock.now, editable=False)),
                (
                    "recipient",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notifications",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="runs.run",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("read_at__isnull", True)),
                        fields=("recipient", "message_sha256", "kind", "sender_id", "run"),
                        name="one_unread_copy_of_a_notification",
                        nulls_distinct=False,
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "kind__in",
                                [
                                    "run_created",
                                    "run_failed",
                                    "comment",
                                    "generic",
                                    "watcher_offline",
                                    "watcher_online",
                                    "folder_away",
                                    "no_files",
                                    "instance_conflict",
                                    "feedback_updated",
                                ],
                            )
                        ),
                        name="notification_kind_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("sender_kind__in", ["token", "person", "service"])),
                        name="notification_sender_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            django.db.models.lookups.Exact(
                                django.db.models.functions.text.Length("message_sha256"), 64
                            ),
                            models.Q(("message_sha256__regex", "[^0-9a-f]"), _negated=True),
                        ),
                        name="notification_digest_is_sha256",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            django.db.models.lookups.Range(django.db.models.functions.text.Length("message"), (1, 2000))
                        ),
                        name="notification_message_length",
                    ),
                ],
                "indexes": [
                    models.Index(
                        condition=models.Q(("in_app", True)),
                        fields=["recipient", "-created_at", "-id"],
                        name="inbox_by_time",
                    ),
                    models.Index(
                        condition=models.Q(("in_app", True), ("read_at__isnull", True)),
                        fields=["recipient"],
                        name="inbox_unread",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="EmailDelivery",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("attempts", models.IntegerField(default=0)),
                ("lease_id", models.UUIDField(editable=False, null=True)),
                ("lease_until", models.DateTimeField(null=True)),
                ("sent_at", models.DateTimeField(null=True)),
                ("refused_at", models.DateTimeField(null=True)),
                ("error_message", models.TextField(blank=True)),
                (
                    "notification",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="email_delivery",
                        to="notifications.notification",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "e-mail deliveries",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("sent_at__isnull", True), ("refused_at__isnull", True), _connector="OR"),
                        name="email_delivery_ends_one_way",
                    )
                ],
                "indexes": [
                    models.Index(
                        condition=models.Q(("refused_at__isnull", True), ("sent_at__isnull", True)),
                        fields=["id"],
                        name="email_deliveries_waiting",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ChatDelivery",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("attempts", models.IntegerField(default=0)),
                ("lease_id", models.UUIDField(editable=False, null=True)),
                ("lease_until", models.DateTimeField(db_column="retry_at", null=True)),
                ("sent_at", models.DateTimeField(null=True)),
                ("refused_at", models.DateTimeField(null=True)),
                ("error_message", models.TextField(blank=True)),
                (
                    "notification",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="chat_delivery",
                        to="notifications.notification",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "chat deliveries",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("sent_at__isnull", True), ("refused_at__isnull", True), _connector="OR"),
                        name="chat_delivery_ends_one_way",
                    )
                ],
                "indexes": [
                    models.Index(
                        condition=models.Q(("refused_at__isnull", True), ("sent_at__isnull", True)),
                        fields=["id"],
                        name="chat_deliveries_waiting",
                    ),
                    models.Index(
                        condition=models.Q(("refused_at__isnull", False)),
                        fields=["-refused_at"],
                        name="chat_deliveries_refused",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Preference",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("run_created", "New run"),
                            ("run_failed", "Failed run"),
                            ("comment", "Comment"),
                            ("generic", "Message"),
                            ("watcher_offline", "Watcher offline"),
                            ("watcher_online", "Watcher online"),
                            ("folder_away", "Folder away"),
                            ("no_files", "No new files"),
                            ("instance_conflict", "Two computers as one watcher"),
                            ("feedback_updated", "Feedback"),
                        ],
                        max_length=32,
                    ),
                ),
                ("in_app", models.BooleanField()),
                ("chat", models.BooleanField()),
                ("email", models.BooleanField(db_default=False, default=False)),
                (
                    "user",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notification_preferences",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("user", "kind"), name="one_preference_per_person_and_kind"),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "kind__in",
                                [
                                    "run_created",
                                    "run_failed",
                                    "comment",
                                    "generic",
                                    "watcher_offline",
                                    "watcher_online",
                                    "folder_away",
                                    "no_files",
                                    "instance_conflict",
                                    "feedback_updated",
                                ],
                            )
                        ),
                        name="preference_kind_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("kind", "generic"), _negated=True),
                            ("in_app", True),
                            ("chat", True),
                            ("email", True),
                            _connector="OR",
                        ),
                        name="generic_reaches_somewhere",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="PreferenceTrail",
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
                        to="notifications.preference",
                    ),
                ),
            ],
            options={
                "verbose_name": "preference change",
                "verbose_name_plural": "preference changes",
                "abstract": False,
                "indexes": [models.Index(fields=["pgh_obj", "-pgh_id"], name="trail_of_preference")],
            },
        ),
        migrations.CreateModel(
            name="Announcement",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("run_created", "New run"),
                            ("run_failed", "Failed run"),
                            ("comment", "Comment"),
                            ("generic", "Message"),
                            ("watcher_offline", "Watcher offline"),
                            ("watcher_online", "Watcher online"),
                            ("folder_away", "Folder away"),
                            ("no_files", "No new files"),
                            ("instance_conflict", "Two computers as one watcher"),
                            ("feedback_updated", "Feedback"),
                        ],
                        max_length=32,
                    ),
                ),
                ("message", models.TextField()),
                (
                    "sender_kind",
                    models.CharField(
                        choices=[("token", "Token"), ("person", "Person"), ("service", "Service")],
                        default="service",
                        max_length=7,
                    ),
                ),
                ("sender_id", models.UUIDField(null=True)),
                ("sender_name", models.CharField(max_length=100)),
                ("created_at", models.DateTimeField(default=wire.clock.now, editable=False)),
                ("attempts", models.IntegerField(default=0)),
                ("lease_id", models.UUIDField(editable=False, null=True)),
                ("lease_until", models.DateTimeField(db_column="retry_at", null=True)),
                ("delivered_at", models.DateTimeField(null=True)),
                ("error_message", models.TextField(blank=True)),
                (
                    "instrument",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="instruments.instrument",
                    ),
                ),
                (
                    "joined_to",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="joined",
                        to="notifications.announcement",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="runs.run",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("delivered_at__isnull", True)), fields=["id"], name="announcements_waiting"
                    ),
                    models.Index(fields=["delivered_at"], name="announcements_delivered"),
                    models.Index(
                        condition=models.Q(("joined_to__isnull", False)),
                        fields=["joined_to"],
                        name="announcements_joined",
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "kind__in",
                                [
                                    "run_created",
                                    "run_failed",
                                    "comment",
                                    "generic",
                                    "watcher_offline",
                                    "watcher_online",
                                    "folder_away",
                                    "no_files",
                                    "instance_conflict",
                                    "feedback_updated",
                                ],
                            )
                        ),
                        name="announcement_kind_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("joined_to", models.F("pk")), _negated=True),
                        name="announcement_joins_another",
                    ),
                ],
            },
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="follow",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_insert",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "notifications_followtrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'insert\', NEW."id", CASE WHEN NEW."user_id" IS NOT NULL THEN jsonb_build_object(\'user_id\', jsonb_build_array(NULL, NEW."user_id")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."instrument_id" IS NOT NULL THEN jsonb_build_object(\'instrument_id\', jsonb_build_array(NULL, NEW."instrument_id")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="a46e9c2e4e717a68b35769d74a9b8e3f8d292b98",
                    operation="INSERT",
                    pgid="pgtrigger_trail_insert_4ff77",
                    table="notifications_follow",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="follow",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."instrument_id" IS DISTINCT FROM (NEW."instrument_id") OR OLD."user_id" IS DISTINCT FROM (NEW."user_id"))',
                    func='INSERT INTO "notifications_followtrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", CASE WHEN OLD."user_id" IS DISTINCT FROM NEW."user_id" THEN jsonb_build_object(\'user_id\', jsonb_build_array(OLD."user_id", NEW."user_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."instrument_id" IS DISTINCT FROM NEW."instrument_id" THEN jsonb_build_object(\'instrument_id\', jsonb_build_array(OLD."instrument_id", NEW."instrument_id")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="eb3d183b82f6fad6e56ffaad00cc301949952095",
                    operation='UPDATE OF "user_id", "instrument_id"',
                    pgid="pgtrigger_trail_update_e7c65",
                    table="notifications_follow",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="follow",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_delete",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "notifications_followtrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'delete\', OLD."id", CASE WHEN OLD."user_id" IS NOT NULL THEN jsonb_build_object(\'user_id\', jsonb_build_array(OLD."user_id", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."instrument_id" IS NOT NULL THEN jsonb_build_object(\'instrument_id\', jsonb_build_array(OLD."instrument_id", NULL)) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="d566f3173007cdbe479bd961498f8d7c6033e5c6",
                    operation="DELETE",
                    pgid="pgtrigger_trail_delete_60dc7",
                    table="notifications_follow",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="followtrail",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="a010e4b137e854a04af85d5239c3becd5092f0d6",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_6a85f",
                    table="notifications_followtrail",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="preference",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_insert",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "notifications_preferencetrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'insert\', NEW."id", CASE WHEN NEW."user_id" IS NOT NULL THEN jsonb_build_object(\'user_id\', jsonb_build_array(NULL, NEW."user_id")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."kind" IS NOT NULL THEN jsonb_build_object(\'kind\', jsonb_build_array(NULL, NEW."kind")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."in_app" IS NOT NULL THEN jsonb_build_object(\'in_app\', jsonb_build_array(NULL, NEW."in_app")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."chat" IS NOT NULL THEN jsonb_build_object(\'chat\', jsonb_build_array(NULL, NEW."chat")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="e7d5d84cfab4bff5e5111090f962c089da4a2c5c",
                    operation="INSERT",
                    pgid="pgtrigger_trail_insert_c6011",
                    table="notifications_preference",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="preference",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."chat" IS DISTINCT FROM (NEW."chat") OR OLD."email" IS DISTINCT FROM (NEW."email") OR OLD."in_app" IS DISTINCT FROM (NEW."in_app") OR OLD."kind" IS DISTINCT FROM (NEW."kind") OR OLD."user_id" IS DISTINCT FROM (NEW."user_id"))',
                    func='INSERT INTO "notifications_preferencetrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", CASE WHEN OLD."user_id" IS DISTINCT FROM NEW."user_id" THEN jsonb_build_object(\'user_id\', jsonb_build_array(OLD."user_id", NEW."user_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."kind" IS DISTINCT FROM NEW."kind" THEN jsonb_build_object(\'kind\', jsonb_build_array(OLD."kind", NEW."kind")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."in_app" IS DISTINCT FROM NEW."in_app" THEN jsonb_build_object(\'in_app\', jsonb_build_array(OLD."in_app", NEW."in_app")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."chat" IS DISTINCT FROM NEW."chat" THEN jsonb_build_object(\'chat\', jsonb_build_array(OLD."chat", NEW."chat")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."email" IS DISTINCT FROM NEW."email" THEN jsonb_build_object(\'email\', jsonb_build_array(OLD."email", NEW."email")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="7a2dd520737c5488774387d705d21779a1b61711",
                    operation='UPDATE OF "user_id", "kind", "in_app", "chat", "email"',
                    pgid="pgtrigger_trail_update_dd547",
                    table="notifications_preference",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="preference",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_delete",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "notifications_preferencetrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'delete\', OLD."id", CASE WHEN OLD."user_id" IS NOT NULL THEN jsonb_build_object(\'user_id\', jsonb_build_array(OLD."user_id", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."kind" IS NOT NULL THEN jsonb_build_object(\'kind\', jsonb_build_array(OLD."kind", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."in_app" IS NOT NULL THEN jsonb_build_object(\'in_app\', jsonb_build_array(OLD."in_app", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."chat" IS NOT NULL THEN jsonb_build_object(\'chat\', jsonb_build_array(OLD."chat", NULL)) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="fc221b7e5d83f27673f2b5dba264bf1a6ee709ef",
                    operation="DELETE",
                    pgid="pgtrigger_trail_delete_4dd0d",
                    table="notifications_preference",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="preferencetrail",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="b468daf7580cfb9a02a47133c4444283268a6fdd",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_ac4be",
                    table="notifications_preferencetrail",
                    when="BEFORE",
                ),
            ),
        ),
    ]
