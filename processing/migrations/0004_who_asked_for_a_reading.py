from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("processing", "0003_indexes_of_turns")]

    operations = [
        migrations.AddField(
            model_name="processingjob",
            name="request_id",
            field=models.CharField(editable=False, max_length=64, null=True),
        ),
        migrations.AddField(
            model_name="processingjob",
            name="traceparent",
            field=models.CharField(editable=False, max_length=55, null=True),
        ),
    ]
