import django.db.models.deletion
from django.db import migrations, models
from django.db.models import F, Q

import wire.clock


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_accounts"), ("watchers", "0007_releases")]

    operations = [
        migrations.CreateModel(
            name="TakeOver",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("taken_at", models.DateTimeField(default=wire.clock.now, editable=False)),
                (
                    "watcher",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="take_overs",
                        to="watchers.watcher",
                    ),
                ),
                (
                    "former_token",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="accounts.token",
                    ),
                ),
                (
                    "token",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="accounts.token",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(condition=~Q(token=F("former_token")), name="take_over_changes_the_token")
                ],
            },
        ),
    ]
