"""Time zones by their IANA names, and in whose days a request counts: Django's current time zone."""

from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from django.conf import settings
from django.db import connection


@cache
def known_time_zones() -> frozenset[str]:
    """The names this machine knows, without what stands for a clock that nobody set."""
    return frozenset(available_timezones()) - {"Factory", "localtime"}


def find_time_zone(*names: str) -> ZoneInfo:
    """The first that is known; the service's own where none is."""
    for name in names:
        if name in known_time_zones() and (name == settings.TIME_ZONE or name in _known_to_database()):
            return ZoneInfo(name)
    return ZoneInfo(settings.TIME_ZONE)


@cache
def _known_to_database() -> frozenset[str]:
    """What days are grouped by there: its list may be older than this machine's."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM pg_timezone_names")
        return frozenset(name for (name,) in cursor.fetchall())
