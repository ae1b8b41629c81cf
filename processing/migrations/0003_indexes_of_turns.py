from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models

UNFINISHED = models.Q(state__in=("waiting", "running"))


class Migration(migrations.Migration):
    atomic = False  # workers go on while the indexes are built

    dependencies = [("processing", "0002_fair_turns")]

    operations = [
        AddIndexConcurrently(
            model_name="processingjob",
            index=models.Index(condition=UNFINISHED, fields=["turn", "requested_at"], name="processing_by_turn"),
        ),
        AddIndexConcurrently(
            model_name="processingjob",
            index=models.Index(condition=UNFINISHED, fields=["instrument", "turn"], name="turns_of_instrument"),
        ),
    ]
