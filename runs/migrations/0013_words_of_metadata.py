import django.contrib.postgres.indexes
import django.db.models.functions.text
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations

import runs.metadata_terms
import wire.columns

# online: a new function that nobody calls yet, and an index that is built beside the writers
CREATE = """
CREATE OR REPLACE FUNCTION public.run_words(metadata jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT AS $$
    SELECT COALESCE(string_agg(value #>> '{}', E'\\n'), '')
    FROM jsonb_path_query(metadata, 'strict $.** ? (@.type() == "string" || @.type() == "number")') AS value
$$
"""


class Migration(migrations.Migration):
    """Every text in the metadata of runs can be looked for in parts."""

    atomic = False

    dependencies = [("runs", "0012_indexes_of_tags_and_projects")]

    operations = [
        migrations.RunSQL(CREATE, "DROP FUNCTION public.run_words"),
        AddIndexConcurrently(
            model_name="run",
            index=django.contrib.postgres.indexes.GinIndex(
                django.contrib.postgres.indexes.OpClass(
                    django.db.models.functions.text.Upper(wire.columns.Searchable(runs.metadata_terms.MetadataWords())),
                    name="gin_trgm_ops",
                ),
                name="runs_by_part_of_metadata",
            ),
        ),
    ]
