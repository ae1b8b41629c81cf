"""A prepared statement says who acts in a setting of its transaction, as it can have no comment of its own."""

from django.db import migrations

# online: the function is replaced in one step; comments, which the release before writes, are read as before.
CONTEXT = """
CREATE OR REPLACE FUNCTION public.trail_context() RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
DECLARE
    told text := left(current_query(), 4000);
    acting text := current_setting('ids.acting', true);  -- empty once a transaction has ended that had set it
BEGIN
    IF starts_with(told, '/*ids {') THEN
        RETURN substr(told, 7, strpos(told, '*/') - 7)::jsonb;
    END IF;
    IF acting <> '' THEN
        RETURN acting::jsonb;
    END IF;
    RETURN jsonb_build_object('kind', 'service', 'id', NULL, 'name', 'database role ' || session_user,
                              'request_id', NULL, 'reason', NULL);
END $$
"""


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0014_scope_to_share"),
    ]

    operations = [migrations.RunSQL(CONTEXT, migrations.RunSQL.noop)]
