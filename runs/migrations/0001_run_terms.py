from django.contrib.postgres.operations import TrigramExtension
from django.db import migrations

# Top-level keys of a plain form only, or a key such as `a=b` would forge a term; scalars and members of arrays, as
# stored text. A long value enters as its hash behind `#`, a character no key can hold, so that it is no text value.
CREATE = """
CREATE FUNCTION public.run_terms(metadata jsonb) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT AS $$
    SELECT COALESCE(array_agg(DISTINCT
        CASE WHEN length(value #>> '{}') <= 255
            THEN key || '=' || (value #>> '{}')
            ELSE key || '#' || encode(sha256(convert_to(value #>> '{}', 'UTF8')), 'hex')
        END), '{}')
    FROM (
        SELECT key, CASE jsonb_typeof(value) WHEN 'array' THEN value ELSE jsonb_build_array(value) END AS members
        FROM jsonb_each(CASE jsonb_typeof(metadata) WHEN 'object' THEN metadata ELSE '{}' END)
        WHERE key ~ '^[A-Za-z0-9_.-]{1,64}$'
    ) AS entry, jsonb_array_elements(members) AS value
    WHERE jsonb_typeof(value) IN ('string', 'number', 'boolean')
$$
"""


class Migration(migrations.Migration):
    dependencies = []

    operations = [
        TrigramExtension(),
        migrations.RunSQL(CREATE, "DROP FUNCTION public.run_terms(jsonb)"),
    ]
