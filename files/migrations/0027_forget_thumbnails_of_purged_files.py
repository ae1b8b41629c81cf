"""Small pictures of artefacts that were purged before the purge took them along."""

# online: deletes rows that nothing shows, and locks those alone

from django.db import migrations

FORGET = """
    DELETE FROM files_thumbnail AS thumbnail USING files_file AS file
     WHERE file.id = thumbnail.file_id AND file.purged_at IS NOT NULL
"""


class Migration(migrations.Migration):
    dependencies = [("files", "0026_artefacts_of_no_file")]

    operations = [migrations.RunSQL(FORGET, migrations.RunSQL.noop)]
