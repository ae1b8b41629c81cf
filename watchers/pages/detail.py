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
from accounts.guard import page
from files.upload_queue import list_waiting
from watchers import access
from watchers.config import NoConfigYet, find_config
from watchers.events import list_events
from watchers.fleet import find_watcher
from watchers.models import Watcher, WatcherEvent
from watchers.releases import check_for_update
from watchers.status import health_of
from watchers.strips import HOUR, longest_silence, read_strips
from watchers.vocabulary import ERRORS, EventType
from wire.clock import now
from wire.fragments import asks_for_fragment
from wire.pagination import page_of, read_window

RANGES = (7, 14, 30, 90)
EVENTS, WAITING = 25, 12
SINCE = {"1": "the last 24 hours", "7": "the last 7 days", "30": "the last 30 days"}
SIGNS = {
    EventType.WATCHER_STARTED: "play",
    EventType.WATCHER_STOPPED: "s-stopped",
    EventType.CONFIG_SYNCED: "refresh",
    EventType.RUN_REPORTED: "runs",
    EventType.FILE_UPLOADED: "upload",
    EventType.UPDATE_STARTED: "refresh",
    EventType.UPDATE_SUCCEEDED: "check",
}


@require_safe
@page(access.READ)
def watcher_page(request: HttpRequest, watcher_id: UUID) -> HttpResponse:
    by, at = caller_of_page(request), now()
    watcher = find_watcher(watcher_id, by=by)
    shown = {
        "at": at,
        "watcher": watcher,
        "health": "deregistered" if watcher.deleted_at else health_of(watcher, at=at),
        "update": check_for_update(watcher_id, by=by),
        "url": request.path,
        **_log(watcher, request.GET, by=by, at=at),
    }
    if asks_for_fragment(request):
        return render(request, "watchers/_log.html", shown)
    shown |= _beats(watcher, request.GET, at=at) | _queue(watcher, by=by) | {"config": _config(watcher, by=by)}
    return render(request, "watchers/watcher.html", shown)


def _beats(watcher: Watcher, query: QueryDict, *, at: datetime) -> dict[str, Any]:
    ranges = [days for days in RANGES if days <= settings.HEARTBEAT_DAYS] or [settings.HEARTBEAT_DAYS]
    asked = query.get("days", "")
    days = int(asked) if asked in map(str, ranges) else ranges[min(1, len(ranges) - 1)]
    since = localtime(at).replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=days - 1)
    hours = -(-(since + timedelta(days=days) - since) // HOUR)
    strip = read_strips([watcher], since=since, hours=hours, at=at)[watcher.pk]
    silence = longest_silence(watcher.pk, since=since)
    share = 100 * strip.heard / strip.watched if strip.watched else None
    return {"ranges": ranges, "days": days, "strip": strip, "share": share, "silence": silence}


def _log(watcher: Watcher, query: QueryDict, *, by: Caller, at: datetime) -> dict[str, Any]:
    kinds = [kind for kind in query.getlist("kind") if kind in EventType.values]
    days = query.get("since", "") if query.get("since") in SINCE else ""
    only_errors = query.get("errors") == "1"
    events = list_events(watcher.pk, since=at - timedelta(days=int(days)) if days else None, by=by)
    found = page_of(_of_kinds(events, kinds, only_errors=only_errors), read_window(query, per_page=EVENTS))
    return {
        "events": [(event, SIGNS.get(EventType(event.event_type), "s-failed")) for event in found.rows],
        "page": found,
        "query": query,
        "kinds": kinds,
        "all_kinds": EventType.values,
        "since": days,
        "since_choices": SINCE,
        "only_errors": only_errors,
        "bad": ERRORS,
    }


def _of_kinds(events: QuerySet[WatcherEvent], kinds: Sequence[str], *, only_errors: bool) -> QuerySet[WatcherEvent]:
    events = events.filter(event_type__in=kinds) if kinds else events
    return events.filter(event_type__in=ERRORS) if only_errors else events


def _queue(watcher: Watcher, *, by: Caller) -> dict[str, Any]:
    if watcher.deleted_at is not None:
        return {"waiting": [], "waiting_total": 0}
    waiting = list_waiting(watcher.pk, by=by)
    rows = list(waiting[:WAITING])
    return {"waiting": rows, "waiting_total": waiting.count() if len(rows) == WAITING else len(rows)}


def _config(watcher: Watcher, *, by: Caller) -> Any:
    try:
        return find_config(watcher.pk, by=by)
    except NoConfigYet:
        return None
