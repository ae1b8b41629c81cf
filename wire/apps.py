from django.apps import AppConfig


class WireConfig(AppConfig):
    name = "wire"

    def ready(self) -> None:
        from wire import converters  # noqa: F401  (path converters register on import, before any URLconf)
