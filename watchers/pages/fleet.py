"""The list of watchers."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.authentication import caller_of_page
from accounts.guard import page
from files.upload_queue import count_waiting
from watchers import access
from watchers.events import count_errors
from watchers.fleet import list_watchers
from watchers.models import Watcher, WatcherRelease
from watchers.releases import current_releases, is_update
from watchers.status import health_of
from watchers.strips import HOUR, Strip, read_strips
from wire.clock import now
from wire.pagination import Page, read_window

PER_PAGE = 50
DAY = timedelta(days=1)
WORST_FIRST = ("offline", "registered", "stopped", "online")
SORTS: dict[str, Callable[["Row"], Any]] = {
    "health": lambda row: (WORST_FIRST.index(row.health), not row.is_behind, row.name.lower()),
    "watcher": lambda row: row.name.lower(),
    "heard": lambda row: -row.watcher.last_heartbeat_at.timestamp() if row.watcher.last_heartbeat_at else 0,
    "agent": lambda row: (not row.is_behind, row.watcher.agent_version or ""),
}


@dataclass(frozen=True)
class Row:
    watcher: Watcher
    health: str
    is_behind: bool
    strip: Strip | None = None
    waiting: int = 0
    errors: int = 0

    @property
    def name(self) -> str:
        return self.watcher.hostname or str(self.watcher.pk)


@require_safe
@page(access.READ)
def watcher_list(request: HttpRequest) -> HttpResponse:
    by, at = caller_of_page(request), now()
    is_gone = request.GET.get("state") == "deregistered"
    sort = request.GET.get("sort", "") if request.GET.get("sort") in SORTS else "health"
    descending = request.GET.get("order") == "desc"
    everyone = list_watchers(include_deleted=True, by=by)
    rows = _rows([one for one in everyone if (one.deleted_at is not None) == is_gone], at=at)
    rows.sort(key=SORTS[sort], reverse=descending)
    window = read_window(request.GET, per_page=PER_PAGE)
    shown = {
        "at": at,
        "is_gone": is_gone,
        "counts": {"gone": sum(one.deleted_at is not None for one in everyone), "all": len(everyone)},
        "online": sum(row.health == "online" for row in rows),
        "behind": sum(row.is_behind for row in rows),
        "page": Page(_with_day(rows[window.start : window.stop], at=at), window, len(rows)),
        "query": request.GET,
        "sort": {"by": sort, "descending": descending},
    }
    return render(request, "watchers/list.html", shown)


@require_safe
@page(access.READ)
def connect(request: HttpRequest) -> HttpResponse:
    """How a new instrument is brought in."""
    shown = {"api": f"{settings.PUBLIC_URL}/api/v1", "server": settings.PUBLIC_URL, "connecting": True}
    return render(request, "overview/first_run.html", shown)


def _rows(watchers: list[Watcher], *, at: datetime) -> list[Row]:
    current = current_releases()
    return [Row(one, health_of(one, at=at), is_behind(one, current.get(one.channel))) for one in watchers]


def is_behind(watcher: Watcher, release: WatcherRelease | None) -> bool:
    return (
        watcher.deleted_at is None and release is not None and is_update(release.version, current=watcher.agent_version)
    )


def _with_day(rows: list[Row], *, at: datetime) -> list[Row]:
    """With what happened in the last day."""
    watchers = [row.watcher for row in rows]
    since = at.replace(minute=0, second=0, microsecond=0) - DAY + HOUR
    strips = read_strips(watchers, since=since, hours=24, at=at)
    errors = count_errors([one.pk for one in watchers], since=at - DAY)
    waiting = count_waiting([one.instrument_id for one in watchers])
    return [
        Row(
            row.watcher,
            row.health,
            row.is_behind,
            strips[row.watcher.pk],
            waiting.get(row.watcher.instrument_id, 0),
            errors.get(row.watcher.pk, 0),
        )
        for row in rows
    ]
