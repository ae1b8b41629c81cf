from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("watchers", "0001_watchers")]

    operations = [
        # Every heartbeat writes the row: half a page free keeps these writes on their page (HOT).
        migrations.RunSQL(
            "ALTER TABLE watchers_watcher SET (fillfactor = 50)",
            "ALTER TABLE watchers_watcher RESET (fillfactor)",
        ),
    ]
