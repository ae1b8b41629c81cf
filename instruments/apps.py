from django.apps import AppConfig


class InstrumentsConfig(AppConfig):
    name = "instruments"

    def ready(self) -> None:
        from instruments import receivers  # noqa: F401  (receivers connect on import)
