"""Notifications go out by e-mail, too."""

# online: a row a person and kind is all that the constraint reads

import django.db.models.deletion
import pgtrigger.compiler
import pgtrigger.migrations
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("notifications", "0008_joined_announcements"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
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
            ],
            options={
                "verbose_name_plural": "e-mail deliveries",
            },
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="preference",
            name="trail_update",
        ),
        migrations.RemoveConstraint(
            model_name="preference",
            name="generic_reaches_somewhere",
        ),
        migrations.AddField(
            model_name="preference",
            name="email",
            field=models.BooleanField(db_default=False, default=False),
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
        migrations.AddConstraint(
            model_name="preference",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind", "generic"), _negated=True),
                    ("in_app", True),
                    ("chat", True),
                    ("email", True),
                    _connector="OR",
                ),
                name="generic_reaches_somewhere",
            ),
        ),
        migrations.AddField(
            model_name="emaildelivery",
            name="notification",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="email_delivery",
                to="notifications.notification",
            ),
        ),
        migrations.AddIndex(
            model_name="emaildelivery",
            index=models.Index(
                condition=models.Q(("refused_at__isnull", True), ("sent_at__isnull", True)),
                fields=["id"],
                name="email_deliveries_waiting",
            ),
        ),
        migrations.AddConstraint(
            model_name="emaildelivery",
            constraint=models.CheckConstraint(
                condition=models.Q(("sent_at__isnull", True), ("refused_at__isnull", True), _connector="OR"),
                name="email_delivery_ends_one_way",
            ),
        ),
    ]
