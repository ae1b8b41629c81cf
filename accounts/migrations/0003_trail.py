"""The trail: one sequence for all its rows, who is at work, and the changes of people, tokens and integrations."""

import django.db.models.deletion
import pgtrigger.compiler
import pgtrigger.migrations
from django.conf import settings
from django.db import migrations, models

# The comment that stands before a statement says who is at work (wire/audit_context.py). Where none does, it is somebody who
# speaks to the database by other means.
CONTEXT = """
CREATE FUNCTION public.trail_context() RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
DECLARE
    told text := left(current_query(), 4000);
BEGIN
    IF starts_with(told, '/*ids {') THEN
        RETURN substr(told, 7, strpos(told, '*/') - 7)::jsonb;
    END IF;
    RETURN jsonb_build_object('kind', 'service', 'id', NULL, 'name', 'database role ' || session_user,
                              'request_id', NULL, 'reason', NULL);
END $$
"""
# One for all tables of the trail: together they read as one list.
SEQUENCE = "CREATE SEQUENCE public.accounts_trail_ids AS bigint CACHE 1"


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_integrations"),
    ]

    operations = [
        migrations.RunSQL(SEQUENCE, "DROP SEQUENCE public.accounts_trail_ids"),
        migrations.RunSQL(CONTEXT, "DROP FUNCTION public.trail_context()"),
        migrations.CreateModel(
            name="IntegrationTrail",
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
                "verbose_name": "integration change",
                "verbose_name_plural": "integration changes",
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="TokenTrail",
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
                "verbose_name": "token change",
                "verbose_name_plural": "token changes",
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="UserTrail",
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
                "verbose_name": "user change",
                "verbose_name_plural": "user changes",
                "abstract": False,
            },
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="integration",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_insert",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="INSERT INTO \"accounts_integrationtrail\" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), 'insert', NEW.\"kind\", CASE WHEN NEW.\"base_url\" IS NOT NULL THEN jsonb_build_object('base_url', jsonb_build_array(NULL, NEW.\"base_url\")) ELSE '{}'::jsonb END || CASE WHEN NEW.\"target\" IS NOT NULL THEN jsonb_build_object('target', jsonb_build_array(NULL, NEW.\"target\")) ELSE '{}'::jsonb END || CASE WHEN NEW.\"sealed_secret\" IS NOT NULL THEN jsonb_build_object('sealed_secret', jsonb_build_array(NULL, CASE WHEN NEW.\"sealed_secret\" IS NOT NULL THEN 'hidden' END)) ELSE '{}'::jsonb END, public.trail_context(); RETURN NULL;",
                    hash="716854836a58876bf611ea5fca3052e2a16053ca",
                    operation="INSERT",
                    pgid="pgtrigger_trail_insert_12395",
                    table="accounts_integration",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="integration",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."base_url" IS DISTINCT FROM (NEW."base_url") OR OLD."sealed_secret" IS DISTINCT FROM (NEW."sealed_secret") OR OLD."target" IS DISTINCT FROM (NEW."target"))',
                    func='INSERT INTO "accounts_integrationtrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."kind", CASE WHEN OLD."base_url" IS DISTINCT FROM NEW."base_url" THEN jsonb_build_object(\'base_url\', jsonb_build_array(OLD."base_url", NEW."base_url")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."target" IS DISTINCT FROM NEW."target" THEN jsonb_build_object(\'target\', jsonb_build_array(OLD."target", NEW."target")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."sealed_secret" IS DISTINCT FROM NEW."sealed_secret" THEN jsonb_build_object(\'sealed_secret\', jsonb_build_array(CASE WHEN OLD."sealed_secret" IS NOT NULL THEN \'hidden\' END, CASE WHEN NEW."sealed_secret" IS NOT NULL THEN \'hidden\' END)) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="7decc8839ef373b2db6220f9d30d30ee8040c804",
                    operation='UPDATE OF "base_url", "target", "sealed_secret"',
                    pgid="pgtrigger_trail_update_09ec0",
                    table="accounts_integration",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="integration",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_delete",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="INSERT INTO \"accounts_integrationtrail\" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), 'delete', OLD.\"kind\", CASE WHEN OLD.\"base_url\" IS NOT NULL THEN jsonb_build_object('base_url', jsonb_build_array(OLD.\"base_url\", NULL)) ELSE '{}'::jsonb END || CASE WHEN OLD.\"target\" IS NOT NULL THEN jsonb_build_object('target', jsonb_build_array(OLD.\"target\", NULL)) ELSE '{}'::jsonb END || CASE WHEN OLD.\"sealed_secret\" IS NOT NULL THEN jsonb_build_object('sealed_secret', jsonb_build_array(CASE WHEN OLD.\"sealed_secret\" IS NOT NULL THEN 'hidden' END, NULL)) ELSE '{}'::jsonb END, public.trail_context(); RETURN NULL;",
                    hash="5dbe1276f3d392460b6d629219f3c3e52b3d520c",
                    operation="DELETE",
                    pgid="pgtrigger_trail_delete_e30be",
                    table="accounts_integration",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="token",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_insert",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "accounts_tokentrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'insert\', NEW."id", CASE WHEN NEW."name" IS NOT NULL THEN jsonb_build_object(\'name\', jsonb_build_array(NULL, NEW."name")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."scopes" IS NOT NULL THEN jsonb_build_object(\'scopes\', jsonb_build_array(NULL, NEW."scopes")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."instrument_ids" IS NOT NULL THEN jsonb_build_object(\'instrument_ids\', jsonb_build_array(NULL, NEW."instrument_ids")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."created_by_id" IS NOT NULL THEN jsonb_build_object(\'created_by_id\', jsonb_build_array(NULL, NEW."created_by_id")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."expires_at" IS NOT NULL THEN jsonb_build_object(\'expires_at\', jsonb_build_array(NULL, to_char(NEW."expires_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN NEW."revoked_at" IS NOT NULL THEN jsonb_build_object(\'revoked_at\', jsonb_build_array(NULL, to_char(NEW."revoked_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="45236fea4b293fb05e486885d40098c0a2ec27be",
                    operation="INSERT",
                    pgid="pgtrigger_trail_insert_22461",
                    table="accounts_token",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="token",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."created_by_id" IS DISTINCT FROM (NEW."created_by_id") OR OLD."expires_at" IS DISTINCT FROM (NEW."expires_at") OR OLD."instrument_ids" IS DISTINCT FROM (NEW."instrument_ids") OR OLD."name" IS DISTINCT FROM (NEW."name") OR OLD."revoked_at" IS DISTINCT FROM (NEW."revoked_at") OR OLD."scopes" IS DISTINCT FROM (NEW."scopes"))',
                    func='INSERT INTO "accounts_tokentrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", CASE WHEN OLD."name" IS DISTINCT FROM NEW."name" THEN jsonb_build_object(\'name\', jsonb_build_array(OLD."name", NEW."name")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."scopes" IS DISTINCT FROM NEW."scopes" THEN jsonb_build_object(\'scopes\', jsonb_build_array(OLD."scopes", NEW."scopes")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."instrument_ids" IS DISTINCT FROM NEW."instrument_ids" THEN jsonb_build_object(\'instrument_ids\', jsonb_build_array(OLD."instrument_ids", NEW."instrument_ids")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."created_by_id" IS DISTINCT FROM NEW."created_by_id" THEN jsonb_build_object(\'created_by_id\', jsonb_build_array(OLD."created_by_id", NEW."created_by_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."expires_at" IS DISTINCT FROM NEW."expires_at" THEN jsonb_build_object(\'expires_at\', jsonb_build_array(to_char(OLD."expires_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."expires_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN OLD."revoked_at" IS DISTINCT FROM NEW."revoked_at" THEN jsonb_build_object(\'revoked_at\', jsonb_build_array(to_char(OLD."revoked_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."revoked_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="48c0ada98f7bbe5de62b841d16b2646ea4d63f37",
                    operation='UPDATE OF "name", "scopes", "instrument_ids", "created_by_id", "expires_at", "revoked_at"',
                    pgid="pgtrigger_trail_update_6942b",
                    table="accounts_token",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="token",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_delete",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "accounts_tokentrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'delete\', OLD."id", CASE WHEN OLD."name" IS NOT NULL THEN jsonb_build_object(\'name\', jsonb_build_array(OLD."name", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."scopes" IS NOT NULL THEN jsonb_build_object(\'scopes\', jsonb_build_array(OLD."scopes", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."instrument_ids" IS NOT NULL THEN jsonb_build_object(\'instrument_ids\', jsonb_build_array(OLD."instrument_ids", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."created_by_id" IS NOT NULL THEN jsonb_build_object(\'created_by_id\', jsonb_build_array(OLD."created_by_id", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."expires_at" IS NOT NULL THEN jsonb_build_object(\'expires_at\', jsonb_build_array(to_char(OLD."expires_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."revoked_at" IS NOT NULL THEN jsonb_build_object(\'revoked_at\', jsonb_build_array(to_char(OLD."revoked_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), NULL)) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="a95e7d9c02a09ecd70e1b3f8897e6f5206ff651a",
                    operation="DELETE",
                    pgid="pgtrigger_trail_delete_74f27",
                    table="accounts_token",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="user",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_insert",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="INSERT INTO \"accounts_usertrail\" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), 'insert', NEW.\"id\", CASE WHEN NEW.\"email\" IS NOT NULL THEN jsonb_build_object('email', jsonb_build_array(NULL, NEW.\"email\")) ELSE '{}'::jsonb END || CASE WHEN NEW.\"display_name\" IS NOT NULL THEN jsonb_build_object('display_name', jsonb_build_array(NULL, NEW.\"display_name\")) ELSE '{}'::jsonb END || CASE WHEN NEW.\"is_admin\" IS NOT NULL THEN jsonb_build_object('is_admin', jsonb_build_array(NULL, NEW.\"is_admin\")) ELSE '{}'::jsonb END || CASE WHEN NEW.\"is_staff\" IS NOT NULL THEN jsonb_build_object('is_staff', jsonb_build_array(NULL, NEW.\"is_staff\")) ELSE '{}'::jsonb END || CASE WHEN NEW.\"is_superuser\" IS NOT NULL THEN jsonb_build_object('is_superuser', jsonb_build_array(NULL, NEW.\"is_superuser\")) ELSE '{}'::jsonb END || CASE WHEN NEW.\"is_active\" IS NOT NULL THEN jsonb_build_object('is_active', jsonb_build_array(NULL, NEW.\"is_active\")) ELSE '{}'::jsonb END || CASE WHEN NEW.\"password\" IS NOT NULL THEN jsonb_build_object('password', jsonb_build_array(NULL, CASE WHEN NEW.\"password\" IS NOT NULL THEN 'hidden' END)) ELSE '{}'::jsonb END, public.trail_context(); RETURN NULL;",
                    hash="9fd09ed3b4f84852ba554f1dfaf1d558d1357bd6",
                    operation="INSERT",
                    pgid="pgtrigger_trail_insert_f55f7",
                    table="accounts_user",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="user",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."display_name" IS DISTINCT FROM (NEW."display_name") OR OLD."email" IS DISTINCT FROM (NEW."email") OR OLD."is_active" IS DISTINCT FROM (NEW."is_active") OR OLD."is_admin" IS DISTINCT FROM (NEW."is_admin") OR OLD."is_staff" IS DISTINCT FROM (NEW."is_staff") OR OLD."is_superuser" IS DISTINCT FROM (NEW."is_superuser") OR OLD."password" IS DISTINCT FROM (NEW."password"))',
                    func='INSERT INTO "accounts_usertrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", CASE WHEN OLD."email" IS DISTINCT FROM NEW."email" THEN jsonb_build_object(\'email\', jsonb_build_array(OLD."email", NEW."email")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."display_name" IS DISTINCT FROM NEW."display_name" THEN jsonb_build_object(\'display_name\', jsonb_build_array(OLD."display_name", NEW."display_name")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."is_admin" IS DISTINCT FROM NEW."is_admin" THEN jsonb_build_object(\'is_admin\', jsonb_build_array(OLD."is_admin", NEW."is_admin")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."is_staff" IS DISTINCT FROM NEW."is_staff" THEN jsonb_build_object(\'is_staff\', jsonb_build_array(OLD."is_staff", NEW."is_staff")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."is_superuser" IS DISTINCT FROM NEW."is_superuser" THEN jsonb_build_object(\'is_superuser\', jsonb_build_array(OLD."is_superuser", NEW."is_superuser")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."is_active" IS DISTINCT FROM NEW."is_active" THEN jsonb_build_object(\'is_active\', jsonb_build_array(OLD."is_active", NEW."is_active")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."password" IS DISTINCT FROM NEW."password" THEN jsonb_build_object(\'password\', jsonb_build_array(CASE WHEN OLD."password" IS NOT NULL THEN \'hidden\' END, CASE WHEN NEW."password" IS NOT NULL THEN \'hidden\' END)) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="5f395b9b6e923cfc22f801579bae26dbaf25ee67",
                    operation='UPDATE OF "email", "display_name", "is_admin", "is_staff", "is_superuser", "is_active", "password"',
                    pgid="pgtrigger_trail_update_6b960",
                    table="accounts_user",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="user",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_delete",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="INSERT INTO \"accounts_usertrail\" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), 'delete', OLD.\"id\", CASE WHEN OLD.\"email\" IS NOT NULL THEN jsonb_build_object('email', jsonb_build_array(OLD.\"email\", NULL)) ELSE '{}'::jsonb END || CASE WHEN OLD.\"display_name\" IS NOT NULL THEN jsonb_build_object('display_name', jsonb_build_array(OLD.\"display_name\", NULL)) ELSE '{}'::jsonb END || CASE WHEN OLD.\"is_admin\" IS NOT NULL THEN jsonb_build_object('is_admin', jsonb_build_array(OLD.\"is_admin\", NULL)) ELSE '{}'::jsonb END || CASE WHEN OLD.\"is_staff\" IS NOT NULL THEN jsonb_build_object('is_staff', jsonb_build_array(OLD.\"is_staff\", NULL)) ELSE '{}'::jsonb END || CASE WHEN OLD.\"is_superuser\" IS NOT NULL THEN jsonb_build_object('is_superuser', jsonb_build_array(OLD.\"is_superuser\", NULL)) ELSE '{}'::jsonb END || CASE WHEN OLD.\"is_active\" IS NOT NULL THEN jsonb_build_object('is_active', jsonb_build_array(OLD.\"is_active\", NULL)) ELSE '{}'::jsonb END || CASE WHEN OLD.\"password\" IS NOT NULL THEN jsonb_build_object('password', jsonb_build_array(CASE WHEN OLD.\"password\" IS NOT NULL THEN 'hidden' END, NULL)) ELSE '{}'::jsonb END, public.trail_context(); RETURN NULL;",
                    hash="d89d28a064ed8fd1da87e97c5ff2f9491bfb340d",
                    operation="DELETE",
                    pgid="pgtrigger_trail_delete_64450",
                    table="accounts_user",
                    when="AFTER",
                ),
            ),
        ),
        migrations.AddField(
            model_name="integrationtrail",
            name="pgh_obj",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="accounts.integration",
            ),
        ),
        migrations.AddField(
            model_name="tokentrail",
            name="pgh_obj",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="accounts.token",
            ),
        ),
        migrations.AddField(
            model_name="usertrail",
            name="pgh_obj",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddIndex(
            model_name="integrationtrail",
            index=models.Index(fields=["pgh_obj", "-pgh_id"], name="trail_of_integration"),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="integrationtrail",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="31647a2fc14a8733b2cb134d9865aaed99e18918",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_87129",
                    table="accounts_integrationtrail",
                    when="BEFORE",
                ),
            ),
        ),
        migrations.AddIndex(
            model_name="tokentrail",
            index=models.Index(fields=["pgh_obj", "-pgh_id"], name="trail_of_token"),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="tokentrail",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="ca87fbfaaa14dc587a9be5487974c7fe1906a771",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_e8708",
                    table="accounts_tokentrail",
                    when="BEFORE",
                ),
            ),
        ),
        migrations.AddIndex(
            model_name="usertrail",
            index=models.Index(fields=["pgh_obj", "-pgh_id"], name="trail_of_user"),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="usertrail",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="42d6e6baf5ad3976277e7018ec20d13f75d60e5a",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_c87ec",
                    table="accounts_usertrail",
                    when="BEFORE",
                ),
            ),
        ),
    ]
