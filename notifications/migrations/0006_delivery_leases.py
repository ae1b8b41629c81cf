"""Deliveries are leased as every job is. The column of `lease_until` keeps its name, for workers that still run."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("notifications", "0005_plural_of_delivery")]

    operations = [
        operation
        for model in ("announcement", "chatdelivery")
        for operation in (
            migrations.AlterField(model, "retry_at", models.DateTimeField(db_column="retry_at", null=True)),
            migrations.RenameField(model, "retry_at", "lease_until"),
            migrations.AddField(model, "lease_id", models.UUIDField(editable=False, null=True)),
        )
    ]
