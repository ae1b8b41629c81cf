from django.apps import AppConfig

from instruments.instrument_types import register_type


class ProcessingConfig(AppConfig):
    name = "processing"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from processing import receivers  # noqa: F401  (receivers connect on import)
        from processing.registry import get_registry  # entry points are read once the apps are there

        for kind in get_registry().types.values():
            register_type(kind.name, title=kind.title)
