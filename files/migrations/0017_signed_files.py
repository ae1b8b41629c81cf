"""Raw files of signed runs stay as they are."""

import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("runs", "0021_signatures"),
        ("files", "0016_kept_files_of_run"),
    ]

    operations = [
        pgtrigger.migrations.AddTrigger(
            model_name="file",
            trigger=pgtrigger.compiler.Trigger(
                name="keep_signed_new_files",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="\n    IF EXISTS (SELECT 1 FROM new_rows JOIN runs_signature AS signature\n                          ON signature.run_id = new_rows.run_id AND signature.revoked_at IS NULL WHERE new_rows.category = 'raw') THEN\n        RAISE EXCEPTION 'the run is signed' USING ERRCODE = 'check_violation', CONSTRAINT = 'signed_files_stay';\n    END IF;\n    RETURN NULL;\n",
                    hash="4e0652f660d1ca86a167d76f42044c42c8775fae",
                    level="STATEMENT",
                    operation="INSERT",
                    pgid="pgtrigger_keep_signed_new_files_e8cde",
                    referencing="REFERENCING NEW TABLE AS new_rows ",
                    table="files_file",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="file",
            trigger=pgtrigger.compiler.Trigger(
                name="keep_signed_changed_files",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="\n    IF EXISTS (SELECT 1 FROM old_rows JOIN new_rows USING (id) JOIN runs_signature AS signature\n                          ON signature.run_id = ANY (ARRAY[old_rows.run_id, new_rows.run_id]) AND signature.revoked_at IS NULL WHERE 'raw' IN (old_rows.category, new_rows.category) AND (old_rows.run_id, old_rows.category, old_rows.relative_path, old_rows.size_bytes, old_rows.sha256, old_rows.own, old_rows.deleted_at) IS DISTINCT FROM (new_rows.run_id, new_rows.category, new_rows.relative_path, new_rows.size_bytes, new_rows.sha256, new_rows.own, new_rows.deleted_at)) THEN\n        RAISE EXCEPTION 'the run is signed' USING ERRCODE = 'check_violation', CONSTRAINT = 'signed_files_stay';\n    END IF;\n    RETURN NULL;\n",
                    hash="a03268285bad599beb634142ce590dfc5fea1f55",
                    level="STATEMENT",
                    operation="UPDATE",
                    pgid="pgtrigger_keep_signed_changed_files_d47d1",
                    referencing="REFERENCING OLD TABLE AS old_rows  NEW TABLE AS new_rows ",
                    table="files_file",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="file",
            trigger=pgtrigger.compiler.Trigger(
                name="keep_signed_gone_files",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="\n    IF EXISTS (SELECT 1 FROM old_rows JOIN runs_signature AS signature\n                          ON signature.run_id = old_rows.run_id AND signature.revoked_at IS NULL WHERE old_rows.category = 'raw') THEN\n        RAISE EXCEPTION 'the run is signed' USING ERRCODE = 'check_violation', CONSTRAINT = 'signed_files_stay';\n    END IF;\n    RETURN NULL;\n",
                    hash="e35a5554c6a76432d4a8fcc8376316a9a5b753db",
                    level="STATEMENT",
                    operation="DELETE",
                    pgid="pgtrigger_keep_signed_gone_files_52104",
                    referencing="REFERENCING OLD TABLE AS old_rows ",
                    table="files_file",
                    when="AFTER",
                ),
            ),
        ),
    ]
