from django.db import migrations

# The same terms as before in a third of the time: scalars need no array, and a counted expression is slow to match.
REPLACE = """
CREATE OR REPLACE FUNCTION public.run_terms(metadata jsonb) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT AS $$
    SELECT COALESCE(array_agg(
        CASE WHEN length(word) <= 255
            THEN key || '=' || word
            ELSE key || '#' || encode(sha256(convert_to(word, 'UTF8')), 'hex')
        END), '{}')
    FROM (
        SELECT key, value #>> '{}' AS word
        FROM jsonb_each(CASE jsonb_typeof(metadata) WHEN 'object' THEN metadata ELSE '{}' END)
        WHERE jsonb_typeof(value) IN ('string', 'number', 'boolean')
        UNION
        SELECT key, member #>> '{}'
        FROM jsonb_each(CASE jsonb_typeof(metadata) WHEN 'object' THEN metadata ELSE '{}' END),
             jsonb_array_elements(CASE jsonb_typeof(value) WHEN 'array' THEN value ELSE '[]' END) AS member
        WHERE jsonb_typeof(member) IN ('string', 'number', 'boolean')
    ) AS entry
    WHERE key ~ '^[A-Za-z0-9_.-]+$' AND length(key) <= 64
$$
"""


class Migration(migrations.Migration):
    dependencies = [("runs", "0006_quick_checks")]

    operations = [migrations.RunSQL(REPLACE, migrations.RunSQL.noop)]
