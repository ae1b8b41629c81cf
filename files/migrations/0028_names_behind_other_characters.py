"""Words of two letters: the names in which the index of trigrams cannot lead to them."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.models import Q
from django.db.models.functions import Upper

from wire.columns import HasPairBehindOther, Searchable


class Migration(migrations.Migration):
    atomic = False  # rows are written while the index is built

    dependencies = [("files", "0027_forget_thumbnails_of_purged_files")]

    operations = [
        AddIndexConcurrently(
            model_name="file",
            index=models.Index(
                fields=["run"],
                condition=Q(HasPairBehindOther(Upper(Searchable("filename"))), deleted_at__isnull=True),
                name="other_names_of_files",
            ),
        ),
    ]
