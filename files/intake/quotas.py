"""How much may come in, where the settings bound it: files of a run, bytes of an instrument and day."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import connection

from files.choices import FileCategory
from files.models import DailyIntake
from runs.models import Run
from wire.clock import format_timestamp
from wire.errors import Conflict

RETENTION = timedelta(days=7)
ADD_BYTES_SQL = """
    INSERT INTO files_dailyintake AS intake (instrument_id, day, size_bytes) VALUES (%(instrument)s, %(day)s, %(asked)s)
    ON CONFLICT (instrument_id, day) DO UPDATE SET size_bytes = intake.size_bytes + excluded.size_bytes
    WHERE intake.size_bytes + excluded.size_bytes <= %(limit)s
    RETURNING size_bytes
"""


class QuotaReached(Conflict):
    """`details`: which `quota`, its `limit`, what is `used` of it and what was `asked` for."""

    def __init__(self, message: str, *, quota: str, limit: int, used: int, asked: int, **details: Any) -> None:
        super().__init__(message, quota=quota, limit=limit, used=used, asked=asked, **details)


def check_file_quota(run: Run, paths: Sequence[str], *, category: FileCategory) -> None:
    """Raises QuotaReached where the run, whose row is locked, has no room for these. Known paths need none."""
    limit = settings.MAX_FILES_PER_RUN
    if not limit:
        return
    files = run.files.filter(category=category)
    used = run.file_count if category == FileCategory.RAW else files.filter(deleted_at=None).count()
    if used + len(paths) <= limit:
        return
    asked = len(set(paths) - set(files.filter(relative_path__in=paths).values_list("relative_path", flat=True)))
    if asked and used + asked > limit:
        text = f"A run may have {limit} files here; this one has {used}."
        raise QuotaReached(text, quota="files_of_run", limit=limit, used=used, asked=asked)


def reserve_bytes(run: Run, size_bytes: int, *, at: datetime) -> None:
    """Count bytes that are about to come. Raises QuotaReached; what is rolled back was not counted."""
    limit = settings.MAX_BYTES_PER_INSTRUMENT_PER_DAY
    if not limit:
        return
    day = service_day_of(at)
    values: dict[str, Any] = {"instrument": run.instrument_id, "day": day, "asked": size_bytes, "limit": limit}
    with connection.cursor() as cursor:
        if size_bytes <= limit:
            cursor.execute(ADD_BYTES_SQL, values)
            if cursor.fetchone():
                return
    known = DailyIntake.objects.filter(instrument_id=run.instrument_id, day=day).first()
    raise QuotaReached(
        f"Of this instrument {limit} bytes a day are taken here.",
        quota="bytes_of_instrument_and_day",
        limit=limit,
        used=known.size_bytes if known else 0,
        asked=size_bytes,
        resets_at=format_timestamp(start_of_day(day + timedelta(days=1))),
    )


def delete_old_intakes(*, at: datetime) -> None:
    DailyIntake.objects.filter(day__lt=service_day_of(at - RETENTION)).delete()


def service_day_of(at: datetime) -> date:
    """In the service's time zone."""
    return at.astimezone(ZoneInfo(settings.TIME_ZONE)).date()


def start_of_day(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(settings.TIME_ZONE))
