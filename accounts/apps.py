from django.apps import AppConfig
from django.db.models.signals import post_migrate


class AccountsConfig(AppConfig):
    name = "accounts"
    verbose_name = "People and tokens"  # allauth has "Accounts"

    def ready(self) -> None:
        from accounts import checks, schema  # noqa: F401  (system checks and OpenAPI extensions register on import)
        from accounts.trail import make_append_only  # has models

        post_migrate.connect(make_append_only, sender=self)
