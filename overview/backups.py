"""When the last backup was made."""

from datetime import datetime, timedelta

from overview.models import Backup

OLD_AFTER = timedelta(hours=50)  # two nights, and some
MAX_KEPT = 400


def record_backup(
    *, name: str, at: datetime, has_objects: bool, objects: int, size_bytes: int, differences: int
) -> None:
    """Once it is whole in its directory. The oldest records go."""
    Backup.objects.create(
        name=name,
        made_at=at,
        has_objects=has_objects,
        objects_count=objects,
        size_bytes=size_bytes,
        differences=differences,
    )
    beyond = Backup.objects.order_by("-made_at", "-pk").values("pk")[MAX_KEPT:]
    Backup.objects.filter(pk__in=beyond).delete()


def find_last_backup() -> Backup | None:
    return Backup.objects.order_by("-made_at", "-pk").first()


def is_overdue(last: Backup | None, *, at: datetime) -> bool:
    return last is None or at - last.made_at > OLD_AFTER
