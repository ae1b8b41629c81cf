from django.apps import AppConfig


class ConfigConfig(AppConfig):
    """Carries the commands and static files of the roof."""

    name = "config"
