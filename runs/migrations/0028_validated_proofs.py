"""The known proofs of signatures, validated while others write."""

from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("runs", "0027_how_signatures_were_proven")]

    operations = [ValidateConstraint(model_name="signature", name="signature_proof_is_known")]
