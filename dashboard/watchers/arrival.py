"""The last step of connecting an instrument: the page waits for the computer's call, and for its first run."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.authentication import caller_of_page
from accounts.callers import Caller
from dashboard.fragments import is_fragment_request
from dashboard.guard import page
from files.thumbnails.keeping import ThumbnailLink, map_thumbnails
from instruments.models import InstrumentStatus
from runs.models import Run
from runs.status import RunStatus
from watchers import access
from watchers.choices import FolderState
from watchers.enrolment_codes import find_code
from watchers.models import Watcher
from wire.clock import now


@dataclass(frozen=True)
class Arrival:
    """How far the computer is that was given a code."""

    code_id: UUID
    watcher: Watcher | None = None
    run: Run | None = None
    status: RunStatus | None = None
    thumbnail: ThumbnailLink | None = None
    has_ended: bool = False  # nobody used the code in its time, or it is forgotten since

    @property
    def is_awaited(self) -> bool:
        return self.run is None and not self.has_ended

    @property
    def sees_folder(self) -> bool:
        watches = self.watcher is not None and self.watcher.folder_state == FolderState.WATCHING
        return watches or self.run is not None

    @property
    def is_pending(self) -> bool:
        """The instrument is a new one, which nobody has confirmed."""
        return self.watcher is not None and self.watcher.instrument.status == InstrumentStatus.PENDING


@never_cache
@require_safe
@page(access.ENROLMENT)
def arrival_page(request: HttpRequest, code_id: UUID) -> HttpResponse:
    """A page of its own, or of it only the step; for the guide also what its code came to."""
    at = now()
    shown = {"arrival": find_arrival(code_id, by=caller_of_page(request), at=at), "at": at}
    if not is_fragment_request(request):
        return render(request, "watchers/arrival.html", shown)
    step = "watchers/_arrival_in_guide.html" if "guide" in request.GET else "watchers/_arrival.html"
    return render(request, step, shown)


def find_arrival(code_id: UUID, *, by: Caller, at: datetime) -> Arrival:
    """The run is the first that the watcher reported after it joined."""
    code = find_code(code_id)
    if code is None or code.watcher is None:
        return Arrival(code_id, has_ended=code is None or code.expires_at <= at)
    reported = (
        Run.objects.visible_to(by)
        .active()
        .filter(instrument=code.watcher.instrument_id, watcher=code.watcher, created_at__gte=code.used_at)
    )
    run = reported.order_by("created_at", "id").first()
    if run is None:
        return Arrival(code_id, code.watcher)
    thumbnail = map_thumbnails([run], by=by).get(run.pk)
    return Arrival(code_id, code.watcher, run, run.status_at(at), thumbnail)
