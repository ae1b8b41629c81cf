"""The trail of watchers keeps their installation and the state of their folder."""

import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("accounts", "0003_trail"), ("watchers", "0015_folders")]

    operations = [
        pgtrigger.migrations.RemoveTrigger(
            model_name="watcher",
            name="trail_insert",
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="watcher",
            name="trail_update",
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="watcher",
            name="trail_delete",
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="watcher",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_insert",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "watchers_watchertrail" (pgh_created_at, pgh_label, pgh_obj_id, "instrument_id", changes, pgh_context) SELECT clock_timestamp(), \'insert\', NEW."id", NEW."instrument_id", CASE WHEN NEW."token_id" IS NOT NULL THEN jsonb_build_object(\'token_id\', jsonb_build_array(NULL, NEW."token_id")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."hostname" IS NOT NULL THEN jsonb_build_object(\'hostname\', jsonb_build_array(NULL, NEW."hostname")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."os_info" IS NOT NULL THEN jsonb_build_object(\'os_info\', jsonb_build_array(NULL, NEW."os_info")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."agent_version" IS NOT NULL THEN jsonb_build_object(\'agent_version\', jsonb_build_array(NULL, NEW."agent_version")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."channel" IS NOT NULL THEN jsonb_build_object(\'channel\', jsonb_build_array(NULL, NEW."channel")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."status" IS NOT NULL THEN jsonb_build_object(\'status\', jsonb_build_array(NULL, NEW."status")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."upload_mode" IS NOT NULL THEN jsonb_build_object(\'upload_mode\', jsonb_build_array(NULL, NEW."upload_mode")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."watch_directory" IS NOT NULL THEN jsonb_build_object(\'watch_directory\', jsonb_build_array(NULL, NEW."watch_directory")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."config_checksum" IS NOT NULL THEN jsonb_build_object(\'config_checksum\', jsonb_build_array(NULL, NEW."config_checksum")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."file_patterns" IS NOT NULL THEN jsonb_build_object(\'file_patterns\', jsonb_build_array(NULL, NEW."file_patterns")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."instance_id" IS NOT NULL THEN jsonb_build_object(\'instance_id\', jsonb_build_array(NULL, NEW."instance_id")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."folder_state" IS NOT NULL THEN jsonb_build_object(\'folder_state\', jsonb_build_array(NULL, NEW."folder_state")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."deleted_at" IS NOT NULL THEN jsonb_build_object(\'deleted_at\', jsonb_build_array(NULL, to_char(NEW."deleted_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN NEW."config_yaml" IS NOT NULL THEN jsonb_build_object(\'config_yaml\', jsonb_build_array(NULL, NEW."config_yaml")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="852c84b4aeaa068433753eb725c12d540b12f696",
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
                    condition='WHEN (OLD."agent_version" IS DISTINCT FROM (NEW."agent_version") OR OLD."channel" IS DISTINCT FROM (NEW."channel") OR OLD."config_checksum" IS DISTINCT FROM (NEW."config_checksum") OR OLD."deleted_at" IS DISTINCT FROM (NEW."deleted_at") OR OLD."file_patterns" IS DISTINCT FROM (NEW."file_patterns") OR OLD."folder_state" IS DISTINCT FROM (NEW."folder_state") OR OLD."hostname" IS DISTINCT FROM (NEW."hostname") OR OLD."instance_id" IS DISTINCT FROM (NEW."instance_id") OR OLD."os_info" IS DISTINCT FROM (NEW."os_info") OR OLD."status" IS DISTINCT FROM (NEW."status") OR OLD."token_id" IS DISTINCT FROM (NEW."token_id") OR OLD."upload_mode" IS DISTINCT FROM (NEW."upload_mode") OR OLD."watch_directory" IS DISTINCT FROM (NEW."watch_directory"))',
                    func='INSERT INTO "watchers_watchertrail" (pgh_created_at, pgh_label, pgh_obj_id, "instrument_id", changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", NEW."instrument_id", CASE WHEN OLD."token_id" IS DISTINCT FROM NEW."token_id" THEN jsonb_build_object(\'token_id\', jsonb_build_array(OLD."token_id", NEW."token_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."hostname" IS DISTINCT FROM NEW."hostname" THEN jsonb_build_object(\'hostname\', jsonb_build_array(OLD."hostname", NEW."hostname")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."os_info" IS DISTINCT FROM NEW."os_info" THEN jsonb_build_object(\'os_info\', jsonb_build_array(OLD."os_info", NEW."os_info")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."agent_version" IS DISTINCT FROM NEW."agent_version" THEN jsonb_build_object(\'agent_version\', jsonb_build_array(OLD."agent_version", NEW."agent_version")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."channel" IS DISTINCT FROM NEW."channel" THEN jsonb_build_object(\'channel\', jsonb_build_array(OLD."channel", NEW."channel")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."status" IS DISTINCT FROM NEW."status" THEN jsonb_build_object(\'status\', jsonb_build_array(OLD."status", NEW."status")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."upload_mode" IS DISTINCT FROM NEW."upload_mode" THEN jsonb_build_object(\'upload_mode\', jsonb_build_array(OLD."upload_mode", NEW."upload_mode")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."watch_directory" IS DISTINCT FROM NEW."watch_directory" THEN jsonb_build_object(\'watch_directory\', jsonb_build_array(OLD."watch_directory", NEW."watch_directory")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."config_checksum" IS DISTINCT FROM NEW."config_checksum" THEN jsonb_build_object(\'config_checksum\', jsonb_build_array(OLD."config_checksum", NEW."config_checksum")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."file_patterns" IS DISTINCT FROM NEW."file_patterns" THEN jsonb_build_object(\'file_patterns\', jsonb_build_array(OLD."file_patterns", NEW."file_patterns")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."instance_id" IS DISTINCT FROM NEW."instance_id" THEN jsonb_build_object(\'instance_id\', jsonb_build_array(OLD."instance_id", NEW."instance_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."folder_state" IS DISTINCT FROM NEW."folder_state" THEN jsonb_build_object(\'folder_state\', jsonb_build_array(OLD."folder_state", NEW."folder_state")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."deleted_at" IS DISTINCT FROM NEW."deleted_at" THEN jsonb_build_object(\'deleted_at\', jsonb_build_array(to_char(OLD."deleted_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."deleted_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN OLD."config_yaml" IS DISTINCT FROM NEW."config_yaml" THEN jsonb_build_object(\'config_yaml\', jsonb_build_array(OLD."config_yaml", NEW."config_yaml")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="affd6845f48fe9f905c0351cf55baf3ec53991db",
                    operation='UPDATE OF "token_id", "hostname", "os_info", "agent_version", "channel", "status", "upload_mode", "watch_directory", "config_checksum", "file_patterns", "instance_id", "folder_state", "deleted_at"',
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
                    func='INSERT INTO "watchers_watchertrail" (pgh_created_at, pgh_label, pgh_obj_id, "instrument_id", changes, pgh_context) SELECT clock_timestamp(), \'delete\', OLD."id", OLD."instrument_id", CASE WHEN OLD."token_id" IS NOT NULL THEN jsonb_build_object(\'token_id\', jsonb_build_array(OLD."token_id", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."hostname" IS NOT NULL THEN jsonb_build_object(\'hostname\', jsonb_build_array(OLD."hostname", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."os_info" IS NOT NULL THEN jsonb_build_object(\'os_info\', jsonb_build_array(OLD."os_info", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."agent_version" IS NOT NULL THEN jsonb_build_object(\'agent_version\', jsonb_build_array(OLD."agent_version", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."channel" IS NOT NULL THEN jsonb_build_object(\'channel\', jsonb_build_array(OLD."channel", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."status" IS NOT NULL THEN jsonb_build_object(\'status\', jsonb_build_array(OLD."status", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."upload_mode" IS NOT NULL THEN jsonb_build_object(\'upload_mode\', jsonb_build_array(OLD."upload_mode", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."watch_directory" IS NOT NULL THEN jsonb_build_object(\'watch_directory\', jsonb_build_array(OLD."watch_directory", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."config_checksum" IS NOT NULL THEN jsonb_build_object(\'config_checksum\', jsonb_build_array(OLD."config_checksum", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."file_patterns" IS NOT NULL THEN jsonb_build_object(\'file_patterns\', jsonb_build_array(OLD."file_patterns", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."instance_id" IS NOT NULL THEN jsonb_build_object(\'instance_id\', jsonb_build_array(OLD."instance_id", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."folder_state" IS NOT NULL THEN jsonb_build_object(\'folder_state\', jsonb_build_array(OLD."folder_state", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."deleted_at" IS NOT NULL THEN jsonb_build_object(\'deleted_at\', jsonb_build_array(to_char(OLD."deleted_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."config_yaml" IS NOT NULL THEN jsonb_build_object(\'config_yaml\', jsonb_build_array(OLD."config_yaml", NULL)) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="4525834693ab6cceb365cc7086d65cfdd93d3e7e",
                    operation="DELETE",
                    pgid="pgtrigger_trail_delete_4bb2c",
                    table="watchers_watcher",
                    when="AFTER",
                ),
            ),
        ),
    ]
