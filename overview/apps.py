from django.apps import AppConfig


class OverviewConfig(AppConfig):
    """What looks across all the others. Of its own it keeps the record of backups."""

    name = "overview"

    def ready(self) -> None:
        from overview import receivers  # noqa: F401  (receivers connect on import)
