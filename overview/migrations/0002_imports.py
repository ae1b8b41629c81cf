from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("overview", "0001_backups")]

    operations = [
        migrations.CreateModel(
            name="Import",
            fields=[
                ("export_id", models.UUIDField(primary_key=True, serialize=False)),
                ("began_at", models.DateTimeField()),
                ("finished_at", models.DateTimeField(null=True)),
            ],
        ),
    ]
