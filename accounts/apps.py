from django.apps import AppConfig
from django.db.models.signals import post_migrate

from wire.queries.triggers import ask_without_errors


class AccountsConfig(AppConfig):
    name = "accounts"
    verbose_name = "People and tokens"  # allauth has "Accounts"

    def ready(self) -> None:
        from django.contrib.auth.signals import user_logged_in

        from accounts import openapi_security  # noqa: F401  (OpenAPI extensions register on import)
        from accounts.sign_in.recent_sign_in import note_sign_in
        from accounts.trail.months import partition_trail
        from accounts.trail.rows import make_append_only  # has models

        user_logged_in.connect(note_sign_in, dispatch_uid="note_sign_in")
        post_migrate.connect(partition_trail, sender=self)
        post_migrate.connect(make_append_only, sender=self)
        post_migrate.connect(ask_without_errors, sender=self)
