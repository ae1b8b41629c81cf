from django.db import migrations

# Frequent vacuuming, so that index-only counts of report items find the visibility map.
SETTINGS = "autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05"


class Migration(migrations.Migration):
    dependencies = [("files", "0001_files")]

    operations = [
        migrations.RunSQL(
            f"ALTER TABLE files_file SET ({SETTINGS})",
            "ALTER TABLE files_file RESET (autovacuum_vacuum_scale_factor, autovacuum_vacuum_insert_scale_factor)",
        ),
    ]
