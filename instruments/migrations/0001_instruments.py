from django.db import migrations, models

import wire.clock


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Instrument",
            fields=[
                ("id", models.CharField(db_collation="C", max_length=64, primary_key=True, serialize=False)),
                ("display_name", models.CharField(max_length=255)),
                (
                    "status",
                    models.CharField(
                        choices=[("pending", "Pending"), ("active", "Active"), ("inactive", "Inactive")],
                        default="pending",
                        max_length=8,
                    ),
                ),
                ("instrument_type", models.CharField(default="generic", max_length=64)),
                ("time_zone", models.CharField(max_length=64)),
                ("run_count", models.IntegerField(default=0, editable=False)),
                ("created_at", models.DateTimeField(default=wire.clock.now, editable=False)),
                ("updated_at", models.DateTimeField(default=wire.clock.now, editable=False)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id__regex", "^[a-z0-9-]{1,64}$")), name="instrument_id_is_a_slug"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("display_name", ""), _negated=True), name="instrument_has_a_name"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("status__in", ["pending", "active", "inactive"])),
                        name="instrument_status_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("instrument_type", ""), _negated=True), name="instrument_has_a_type"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("time_zone", ""), _negated=True), name="instrument_has_a_time_zone"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("run_count__gte", 0)), name="instrument_run_count_is_not_negative"
                    ),
                ],
            },
        ),
    ]
