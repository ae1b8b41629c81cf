from django.apps import AppConfig


class FilesConfig(AppConfig):
    name = "files"

    def ready(self) -> None:
        from files import receivers  # noqa: F401  (receivers connect on import)
