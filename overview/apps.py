from django.apps import AppConfig


class OverviewConfig(AppConfig):
    """What looks across all the others. Has no tables of its own."""

    name = "overview"

    def ready(self) -> None:
        from overview import receivers  # noqa: F401  (receivers connect on import)
