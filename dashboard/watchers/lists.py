"""The list of watchers."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.authentication import caller_of_page
from dashboard.guard import page
from files.uploads.queue import count_waiting
from watchers import access
from watchers.events import count_errors
from watchers.fleet import list_watchers
from watchers.folders import find_silence_of_files, is_blind
from watchers.models import Watcher, WatcherRelease
from watchers.releases import find_current_releases
from watchers.status import health_status
from watchers.update_checks import is_update, wave_place
from watchers.uptime import HOUR, UptimeStrip, read_uptime
from wire.clock import now
from wire.lists.pagination import Page, read_window

PER_PAGE = 50
DAY = timedelta(days=1)
HEALTH_ORDER = ("offline", "registered", "stopped", "online")
SORT_KEYS: dict[str, Callable[["WatcherRow"], Any]] = {
    "health": lambda row: (HEALTH_ORDER.index(row.health), not row.is_blind, not row.is_behind, row.name.lower()),
    "watcher": lambda row: row.name.lower(),
    "heard": lambda row: -row.watcher.last_heartbeat_at.timestamp() if row.watcher.last_heartbeat_at else 0,
    "agent": lambda row: (not row.is_behind, row.watcher.agent_version or ""),
}


@dataclass(frozen=True)
class WatcherRow:
    watcher: Watcher
    health: str
    is_behind: bool
    strip: UptimeStrip | None = None
    waiting: int = 0
    errors: int = 0

    @property
    def silent_since(self) -> datetime | None:
        return find_silence_of_files(self.watcher)

    @property
    def is_blind(self) -> bool:
        return is_blind(self.watcher)

    @property
    def name(self) -> str:
        return self.watcher.hostname or str(self.watcher.pk)


@require_safe
@page(access.READ)
def watcher_list(request: HttpRequest) -> HttpResponse:
    by, at = caller_of_page(request), now()
    is_gone = request.GET.get("state") == "deregistered"
    sort = request.GET.get("sort", "") if request.GET.get("sort") in SORT_KEYS else "health"
    descending = request.GET.get("order") == "desc"
    everyone = list_watchers(include_deleted=True, by=by)
    rows = _build_rows([one for one in everyone if (one.deleted_at is not None) == is_gone], at=at)
    rows.sort(key=SORT_KEYS[sort], reverse=descending)
    window = read_window(request.GET, per_page=PER_PAGE)
    shown = {
        "at": at,
        "is_gone": is_gone,
        "counts": {"gone": sum(one.deleted_at is not None for one in everyone), "all": len(everyone)},
        "online": sum(row.health == "online" for row in rows),
        "offline": sum(row.health == "offline" for row in rows),
        "behind": sum(row.is_behind for row in rows),
        "page": Page(_add_last_day(rows[window.start : window.stop], at=at), window, len(rows)),
        "query": request.GET,
        "sort": {"by": sort, "descending": descending},
    }
    return render(request, "watchers/list.html", shown)


def _build_rows(watchers: list[Watcher], *, at: datetime) -> list[WatcherRow]:
    current = find_current_releases()
    return [WatcherRow(one, health_status(one, at=at), is_behind(one, current.get(one.channel))) for one in watchers]


def is_behind(watcher: Watcher, release: WatcherRelease | None) -> bool:
    if watcher.deleted_at is not None or release is None or wave_place(watcher.pk) >= release.wave_percent:
        return False
    return is_update(release.version, current=watcher.agent_version)


def _add_last_day(rows: list[WatcherRow], *, at: datetime) -> list[WatcherRow]:
    """With what happened in the last day."""
    watchers = [row.watcher for row in rows]
    since = at.replace(minute=0, second=0, microsecond=0) - DAY + HOUR
    strips = read_uptime(watchers, since=since, hours=24, at=at)
    errors = count_errors([one.pk for one in watchers], since=at - DAY)
    waiting = count_waiting([one.instrument_id for one in watchers])
    return [
        WatcherRow(
            row.watcher,
            row.health,
            row.is_behind,
            strips[row.watcher.pk],
            waiting.get(row.watcher.instrument_id, 0),
            errors.get(row.watcher.pk, 0),
        )
        for row in rows
    ]
