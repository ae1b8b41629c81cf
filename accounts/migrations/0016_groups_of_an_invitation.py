"""Who joins by an invitation can be put into groups with it."""

import django.contrib.postgres.fields
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0015_acting"),
    ]

    operations = [
        pgtrigger.migrations.RemoveTrigger(
            model_name="invitation",
            name="trail_insert",
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="invitation",
            name="trail_update",
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="invitation",
            name="trail_delete",
        ),
        migrations.AddField(
            model_name="invitation",
            name="group_ids",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.UUIDField(), db_default=[], default=list, size=None
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="invitation",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_insert",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "accounts_invitationtrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'insert\', NEW."id", CASE WHEN NEW."email" IS NOT NULL THEN jsonb_build_object(\'email\', jsonb_build_array(NULL, NEW."email")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."is_admin" IS NOT NULL THEN jsonb_build_object(\'is_admin\', jsonb_build_array(NULL, NEW."is_admin")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."group_ids" IS NOT NULL THEN jsonb_build_object(\'group_ids\', jsonb_build_array(NULL, NEW."group_ids")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."invited_by_id" IS NOT NULL THEN jsonb_build_object(\'invited_by_id\', jsonb_build_array(NULL, NEW."invited_by_id")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."expires_at" IS NOT NULL THEN jsonb_build_object(\'expires_at\', jsonb_build_array(NULL, to_char(NEW."expires_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN NEW."accepted_at" IS NOT NULL THEN jsonb_build_object(\'accepted_at\', jsonb_build_array(NULL, to_char(NEW."accepted_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="3af25f987821acecf629076ee5c49fbc2b0df929",
                    operation="INSERT",
                    pgid="pgtrigger_trail_insert_2e9d7",
                    table="accounts_invitation",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="invitation",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."accepted_at" IS DISTINCT FROM (NEW."accepted_at") OR OLD."email" IS DISTINCT FROM (NEW."email") OR OLD."expires_at" IS DISTINCT FROM (NEW."expires_at") OR OLD."group_ids" IS DISTINCT FROM (NEW."group_ids") OR OLD."invited_by_id" IS DISTINCT FROM (NEW."invited_by_id") OR OLD."is_admin" IS DISTINCT FROM (NEW."is_admin"))',
                    func='INSERT INTO "accounts_invitationtrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", CASE WHEN OLD."email" IS DISTINCT FROM NEW."email" THEN jsonb_build_object(\'email\', jsonb_build_array(OLD."email", NEW."email")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."is_admin" IS DISTINCT FROM NEW."is_admin" THEN jsonb_build_object(\'is_admin\', jsonb_build_array(OLD."is_admin", NEW."is_admin")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."group_ids" IS DISTINCT FROM NEW."group_ids" THEN jsonb_build_object(\'group_ids\', jsonb_build_array(OLD."group_ids", NEW."group_ids")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."invited_by_id" IS DISTINCT FROM NEW."invited_by_id" THEN jsonb_build_object(\'invited_by_id\', jsonb_build_array(OLD."invited_by_id", NEW."invited_by_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."expires_at" IS DISTINCT FROM NEW."expires_at" THEN jsonb_build_object(\'expires_at\', jsonb_build_array(to_char(OLD."expires_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."expires_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN OLD."accepted_at" IS DISTINCT FROM NEW."accepted_at" THEN jsonb_build_object(\'accepted_at\', jsonb_build_array(to_char(OLD."accepted_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."accepted_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="9f66c7a66c3dbe2bdd2d9170d5927b443a5428ba",
                    operation='UPDATE OF "email", "is_admin", "group_ids", "invited_by_id", "expires_at", "accepted_at"',
                    pgid="pgtrigger_trail_update_9e936",
                    table="accounts_invitation",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="invitation",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_delete",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "accounts_invitationtrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'delete\', OLD."id", CASE WHEN OLD."email" IS NOT NULL THEN jsonb_build_object(\'email\', jsonb_build_array(OLD."email", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."is_admin" IS NOT NULL THEN jsonb_build_object(\'is_admin\', jsonb_build_array(OLD."is_admin", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."group_ids" IS NOT NULL THEN jsonb_build_object(\'group_ids\', jsonb_build_array(OLD."group_ids", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."invited_by_id" IS NOT NULL THEN jsonb_build_object(\'invited_by_id\', jsonb_build_array(OLD."invited_by_id", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."expires_at" IS NOT NULL THEN jsonb_build_object(\'expires_at\', jsonb_build_array(to_char(OLD."expires_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."accepted_at" IS NOT NULL THEN jsonb_build_object(\'accepted_at\', jsonb_build_array(to_char(OLD."accepted_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), NULL)) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="d03dff152bcfe5a5b9e3cda0c62ba5e8ec212607",
                    operation="DELETE",
                    pgid="pgtrigger_trail_delete_c898d",
                    table="accounts_invitation",
                    when="AFTER",
                ),
            ),
        ),
    ]
