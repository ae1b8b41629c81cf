"""Words of two letters: the texts in which indexes of trigrams cannot lead to them."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.models import Q
from django.db.models.functions import Upper

from runs.metadata_terms import MetadataText
from wire.columns import HasPairBehindOther, Searchable


class Migration(migrations.Migration):
    atomic = False  # rows are written while the indexes are built

    dependencies = [("runs", "0028_validated_proofs")]

    operations = [
        AddIndexConcurrently(
            model_name="run",
            index=models.Index(
                fields=["id"],
                condition=Q(HasPairBehindOther(Upper(MetadataText()))),
                name="other_metadata_of_runs",
            ),
        ),
        AddIndexConcurrently(
            model_name="run",
            index=models.Index(
                fields=["id"], condition=Q(HasPairBehindOther("search_key")), name="other_names_of_runs"
            ),
        ),
        AddIndexConcurrently(
            model_name="comment",
            index=models.Index(
                fields=["run"],
                condition=Q(HasPairBehindOther(Upper(Searchable("body"))), deleted_at__isnull=True),
                name="other_comments_of_run",
            ),
        ),
    ]
