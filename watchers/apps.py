from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class WatchersConfig(AppConfig):
    name = "watchers"

    def ready(self) -> None:
        from watchers import receivers  # noqa: F401  (receivers connect on import)

        post_migrate.connect(ensure_partitions_after_migrate, sender=self)


def ensure_partitions_after_migrate(**kwargs: Any) -> None:
    from watchers.partitions import ensure_partitions, has_partitions
    from wire.clock import now

    if has_partitions():  # `migrate watchers zero` ends here too
        ensure_partitions(at=now())
