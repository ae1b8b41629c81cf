from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        from accounts import checks, schema  # noqa: F401  (system checks and OpenAPI extensions register on import)
