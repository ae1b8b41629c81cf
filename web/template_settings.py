"""Where templates are found, how they are loaded, and what every one of them knows."""

from pathlib import Path
from typing import Any

LOADERS = ["web.template_loading.Unindented", "django.template.loaders.app_directories.Loader"]


def template_settings(folder: Path) -> list[dict[str, Any]]:
    options = {
        "loaders": [("django.template.loaders.cached.Loader", LOADERS)],
        "context_processors": [
            "django.template.context_processors.request",
            "django.contrib.auth.context_processors.auth",
            "django.contrib.messages.context_processors.messages",
        ],
    }
    return [{"BACKEND": "django.template.backends.django.DjangoTemplates", "DIRS": [folder], "OPTIONS": options}]
