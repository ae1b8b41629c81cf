"""The page of a watcher: its heartbeats over days, what it told, what it waits for, its configuration."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils.timezone import localtime
from django.views.decorators.http import require_safe

from accounts.authentication import caller_of_page
from accounts.callers import Caller
from dashboard.fragments import is_fragment_request
from dashboard.guard import page
from files.uploads.queue import list_waiting
from watchers import access
from watchers.choices import ERROR_EVENT_TYPES, EventType
from watchers.config import ConfigMissing, find_config
from watchers.events import list_events
from watchers.fleet import find_watcher
from watchers.folders import find_silence_of_files
from watchers.models import Watcher, WatcherEvent
from watchers.status import health_status
from watchers.update_checks import check_for_update
from watchers.uptime import HOUR, find_longest_gap, read_uptime
from watchers.wanted_config import find_last_wanted
from wire.clock import now
from wire.lists.pagination import paginate, read_window

DAY_RANGES = (7, 14, 30, 90)
EVENTS_PER_PAGE, MAX_WAITING_SHOWN = 25, 12
SINCE_CHOICES = {"1": "the last 24 hours", "7": "the last 7 days", "30": "the last 30 days"}
EVENT_ICONS = {
    EventType.WATCHER_STARTED: "play",
    EventType.WATCHER_STOPPED: "s-stopped",
    EventType.CONFIG_SYNCED: "refresh",
    EventType.CONFIG_REFUSED: "warning",
    EventType.RUN_REPORTED: "runs",
    EventType.FILE_UPLOADED: "upload",
    EventType.UPDATE_STARTED: "refresh",
    EventType.UPDATE_SUCCEEDED: "check",
    EventType.UPLOADS_PAUSED: "clock",
    EventType.UPLOADS_RESUMED: "play",
    EventType.TAKEN_OVER: "key",
}


@require_safe
@page(access.READ)
def watcher_page(request: HttpRequest, watcher_id: UUID) -> HttpResponse:
    by, at = caller_of_page(request), now()
    watcher = find_watcher(watcher_id, by=by)
    shown = {
        "at": at,
        "watcher": watcher,
        "silent_since": find_silence_of_files(watcher),
        "health": "deregistered" if watcher.deleted_at else health_status(watcher, at=at),
        "update": check_for_update(watcher_id, by=by),
        "url": request.path,
        **_read_events(watcher, request.GET, by=by, at=at),
    }
    if is_fragment_request(request):
        return render(request, "watchers/_log.html", shown)
    shown |= (
        _read_heartbeats(watcher, request.GET, at=at)
        | _read_queue(watcher, by=by)
        | {"config": _find_config(watcher, by=by), "wanted": find_last_wanted(watcher)}
    )
    return render(request, "watchers/watcher.html", shown)


def _read_heartbeats(watcher: Watcher, query: QueryDict, *, at: datetime) -> dict[str, Any]:
    ranges = [days for days in DAY_RANGES if days <= settings.HEARTBEAT_DAYS] or [settings.HEARTBEAT_DAYS]
    asked = query.get("days", "")
    days = int(asked) if asked in map(str, ranges) else ranges[min(1, len(ranges) - 1)]
    since = localtime(at).replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=days - 1)
    hours = -(-(since + timedelta(days=days) - since) // HOUR)
    strip = read_uptime([watcher], since=since, hours=hours, at=at)[watcher.pk]
    silence = find_longest_gap(watcher.pk, since=since)
    share = 100 * strip.hours_heard / strip.hours_expected if strip.hours_expected else None
    return {"ranges": ranges, "days": days, "strip": strip, "share": share, "silence": silence}


def _read_events(watcher: Watcher, query: QueryDict, *, by: Caller, at: datetime) -> dict[str, Any]:
    kinds = [kind for kind in query.getlist("kind") if kind in EventType.values]
    days = query.get("since", "") if query.get("since") in SINCE_CHOICES else ""
    only_errors = query.get("errors") == "1"
    events = list_events(watcher.pk, since=at - timedelta(days=int(days)) if days else None, by=by)
    found = paginate(
        _filter_events(events, kinds, only_errors=only_errors), read_window(query, per_page=EVENTS_PER_PAGE)
    )
    return {
        "events": [(event, EVENT_ICONS.get(EventType(event.event_type), "s-failed")) for event in found.rows],
        "page": found,
        "query": query,
        "kinds": kinds,
        "all_kinds": EventType.values,
        "since": days,
        "since_choices": SINCE_CHOICES,
        "only_errors": only_errors,
        "bad": ERROR_EVENT_TYPES,
    }


def _filter_events(
    events: QuerySet[WatcherEvent], kinds: Sequence[str], *, only_errors: bool
) -> QuerySet[WatcherEvent]:
    events = events.filter(event_type__in=kinds) if kinds else events
    return events.filter(event_type__in=ERROR_EVENT_TYPES) if only_errors else events


def _read_queue(watcher: Watcher, *, by: Caller) -> dict[str, Any]:
    if watcher.deleted_at is not None:
        return {"waiting": [], "waiting_total": 0}
    waiting = list_waiting(watcher.pk, by=by)
    rows = list(waiting[:MAX_WAITING_SHOWN])
    return {"waiting": rows, "waiting_total": waiting.count() if len(rows) == MAX_WAITING_SHOWN else len(rows)}


def _find_config(watcher: Watcher, *, by: Caller) -> Any:
    try:
        return find_config(watcher.pk, by=by)
    except ConfigMissing:
        return None
