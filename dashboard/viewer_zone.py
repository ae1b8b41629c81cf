"""In whose days pages count: the zone that the person chose, else the browser's, else the service's."""

from zoneinfo import ZoneInfo

from django.http import HttpRequest

from accounts.callers import Caller
from wire.time_zones import find_time_zone

COOKIE = "time_zone"  # times.js writes it: a browser says its zone to nobody but a script


def zone_of_viewer(request: HttpRequest, caller: Caller) -> ZoneInfo:
    chosen = caller.user.time_zone if caller.user else ""
    return find_time_zone(chosen, request.COOKIES.get(COOKIE, ""))
