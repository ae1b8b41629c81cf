from django.apps import AppConfig


class DashboardConfig(AppConfig):
    """Every page. Carries the template tags, scripts and styles; has no tables."""

    name = "dashboard"
