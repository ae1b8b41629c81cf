from django.db import migrations

# Room on the page, so that a file change stays HOT; frequent vacuuming, so that index-only counts find the visibility map.
SETTINGS = "fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05"


class Migration(migrations.Migration):
    dependencies = [("runs", "0002_runs_claims_comments")]

    operations = [
        migrations.RunSQL(
            f"ALTER TABLE runs_run SET ({SETTINGS})",
            "ALTER TABLE runs_run RESET (fillfactor, autovacuum_vacuum_scale_factor, autovacuum_vacuum_insert_scale_factor)",
        ),
    ]
