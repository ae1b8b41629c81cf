from django.apps import AppConfig
from django.contrib.admin import apps as admin


class WebConfig(AppConfig):
    """The server's edge. Carries the system checks; has no tables."""

    name = "web"
    default = True

    def ready(self) -> None:
        from web import checks, worker_start  # noqa: F401  (checks and signals register on import)


class MaintainersAdminConfig(admin.AdminConfig):
    """Django's admin site, with ours as the site."""

    default_site = "web.admin_site.MaintainersSite"
    default = False
