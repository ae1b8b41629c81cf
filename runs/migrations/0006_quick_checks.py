from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("runs", "0005_searched_run_id")]

    operations = [
        migrations.RemoveConstraint(
            model_name="run",
            name="run_id_is_a_path_segment",
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("run_id__regex", "[/\\\\[:cntrl:]]"), _negated=True),
                    models.Q(("run_id__in", ["", ".", ".."]), _negated=True),
                    models.Q(("run_id__startswith", " "), _negated=True),
                    models.Q(("run_id__endswith", " "), _negated=True),
                ),
                name="run_id_is_a_path_segment",
            ),
        ),
    ]
