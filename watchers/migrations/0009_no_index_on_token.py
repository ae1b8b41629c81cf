import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """One token may own every watcher: this index could only mislead the planner of a heartbeat."""

    dependencies = [("watchers", "0008_take_overs")]

    operations = [
        migrations.AlterField(
            "watcher",
            "token",
            models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="watchers",
                to="accounts.token",
            ),
        ),
    ]
