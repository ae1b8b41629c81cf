from django.db import migrations, models

EMPTY_TO_NULL = """
UPDATE watchers_watcher
   SET hostname = NULLIF(hostname, ''), os_info = NULLIF(os_info, ''),
       agent_version = NULLIF(agent_version, ''), watch_directory = NULLIF(watch_directory, '')
"""
NULL_TO_EMPTY = """
UPDATE watchers_watcher
   SET hostname = COALESCE(hostname, ''), os_info = COALESCE(os_info, ''),
       agent_version = COALESCE(agent_version, ''), watch_directory = COALESCE(watch_directory, '')
"""


class Migration(migrations.Migration):
    dependencies = [("watchers", "0002_storage")]

    operations = [
        migrations.AlterField("watcher", "hostname", models.CharField(blank=True, max_length=255, null=True)),
        migrations.AlterField("watcher", "os_info", models.CharField(blank=True, max_length=255, null=True)),
        migrations.AlterField("watcher", "agent_version", models.CharField(blank=True, max_length=64, null=True)),
        migrations.AlterField("watcher", "watch_directory", models.TextField(blank=True, null=True)),
        migrations.RunSQL(EMPTY_TO_NULL, NULL_TO_EMPTY),
    ]
