"""Comparisons of metadata that few runs meet, by an index of its values in their order."""

import django.contrib.postgres.indexes
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models

import runs.metadata_values

# online: a new function that nobody calls yet, and an index that is built beside the writers
# A lexeme for each value of each key, so that a range of values is some prefixes of lexemes: `n` and the float4 of a
# number, `t` and the first ten characters of a text, both in hex; `a` is an array, whose members and theirs have their
# own beside it; `x` is any other value; `*` a run with more of them than an index is for. Of few functions, because
# most of its time goes into preparing them.
CREATE = """
CREATE OR REPLACE FUNCTION public.run_values(metadata jsonb) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT COST 2000 AS $$
    SELECT CASE WHEN count(*) > 1000 THEN '''*'''
           ELSE COALESCE(array_to_tsvector(array_agg(left(key, 64) || CASE jsonb_typeof(value)
               WHEN 'number' THEN '=n' || encode(float4send(
                   round(LEAST(GREATEST(value::numeric, -3.4e38), 3.4e38), 37)::float4), 'hex')
               WHEN 'string' THEN '=t' || encode(convert_to(left(value #>> '{}', 10), 'UTF8'), 'hex')
               WHEN 'array' THEN '=a'
               ELSE '=x' END)), '') END
    FROM (SELECT key, jsonb_path_query(value, 'strict $.**{0 to 2}') AS value FROM jsonb_each(metadata)) AS entry
$$
"""


class Migration(migrations.Migration):
    atomic = False  # rows are written while the index is built

    dependencies = [("runs", "0024_mentions_and_eln")]

    operations = [
        migrations.RunSQL(CREATE, "DROP FUNCTION public.run_values"),
        AddIndexConcurrently(
            model_name="run",
            index=django.contrib.postgres.indexes.GinIndex(
                runs.metadata_values.MetadataValues(),
                condition=~models.Q(metadata={}),
                fastupdate=False,  # each search would compare a list of what is new with every prefix
                name="runs_by_metadata_value",
            ),
        ),
    ]
