from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("notifications", "0004_trail"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="chatdelivery",
            options={"verbose_name_plural": "chat deliveries"},
        ),
    ]
