"""The run list by last change: an index of ranges, which is written only where a range gets longer."""

from django.contrib.postgres.indexes import BrinIndex, OpClass
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations


class Migration(migrations.Migration):
    atomic = False  # rows are written while the index is built

    dependencies = [("runs", "0025_values_in_order")]

    operations = [
        AddIndexConcurrently(
            model_name="run",
            index=BrinIndex(
                OpClass("updated_at", name="timestamptz_minmax_multi_ops"),
                autosummarize=True,
                name="runs_by_change",
                pages_per_range=32,
            ),
        ),
    ]
