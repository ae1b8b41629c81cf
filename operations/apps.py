from django.apps import AppConfig


class OperationsConfig(AppConfig):
    """What runs, fills, copies and checks an installation. Carries the commands; has no tables."""

    name = "operations"
