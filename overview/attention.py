"""What needs a person: files that could not be read, runs that stalled, watchers that fell silent or see no files, new
instruments; of admins also access tokens that end and a store that is nearly full."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Generic, TypeVar

from django.db.models import OuterRef, Subquery
from django.db.models.functions import JSONObject

from accounts.callers import Caller
from accounts.models import Token
from accounts.tokens import ENDS_SOON_WITHIN, list_tokens
from files.choices import FileStatus
from files.models import File
from instruments.models import Instrument, InstrumentStatus
from overview.space import Forecast, find_shortage
from runs.models import Run
from runs.search import RunSearch, filter_runs
from runs.status import RunStatus
from watchers.folders import find_silence_of_files, list_blind
from watchers.models import Watcher

RECENT_FAILURE_PERIOD = timedelta(days=14)  # what failed earlier is history: the list of failed runs keeps it
MAX_ROWS = 5
MAX_COUNT = 100
FAILED_FILE = Subquery(
    File.objects.active()
    .filter(run=OuterRef("pk"), status=FileStatus.FAILED)
    .order_by("natural_key", "id")
    .values(told=JSONObject(filename="filename", error_message="error_message"))[:1]
)  # one that explains a failed run
Row = TypeVar("Row")


@dataclass(frozen=True)
class Newest(Generic[Row]):
    """The newest few, and how many there are, counted up to MAX_COUNT."""

    rows: Sequence[Row]
    total: int


@dataclass(frozen=True)
class Attention:
    offline: Newest[Watcher]
    blind: Newest[Watcher]
    failed: Newest[Run]
    stalled: Newest[Run]
    pending: Newest[Instrument]
    ending: Newest[Token]
    shortage: Forecast | None

    @property
    def kinds(self) -> Sequence[Newest[Any]]:
        return self.offline, self.blind, self.failed, self.stalled, self.pending, self.ending

    @property
    def total(self) -> int:
        return sum(kind.total for kind in self.kinds) + (self.shortage is not None)

    @property
    def blind_with_silence(self) -> list[tuple[Watcher, datetime | None]]:
        return [(watcher, find_silence_of_files(watcher)) for watcher in self.blind.rows]

    @property
    def rest(self) -> int:
        """How many are not among the rows."""
        return sum(kind.total - len(kind.rows) for kind in self.kinds)


def find_attention(*, by: Caller, at: datetime) -> Attention:
    """Of everything the caller may see."""
    silent = Watcher.objects.visible_to(by).offline(at).with_details().order_by("last_heartbeat_at", "id")
    blind = list_blind(at=at).visible_to(by).with_details().order_by("folder_away_since", "folder_last_file_at", "id")
    unconfirmed = (
        Instrument.objects.visible_to(by).filter(status=InstrumentStatus.PENDING).order_by("-created_at", "id")
    )
    return Attention(
        offline=_take_newest(list(silent[:MAX_COUNT])),
        blind=_take_newest(list(blind[:MAX_COUNT])),
        failed=_find_newest_runs(RunStatus.FAILED, since=at - RECENT_FAILURE_PERIOD, by=by, at=at),
        stalled=_find_newest_runs(RunStatus.STALLED, since=None, by=by, at=at),
        pending=_take_newest(list(unconfirmed[:MAX_COUNT])),
        ending=_take_newest(_list_ending_tokens(by=by, at=at)),
        shortage=find_shortage(at=at) if by.is_admin else None,
    )


def _list_ending_tokens(*, by: Caller, at: datetime) -> list[Token]:
    return list(list_tokens(by=by).ending(within=ENDS_SOON_WITHIN, at=at)[:MAX_COUNT]) if by.is_admin else []


def _find_newest_runs(status: RunStatus, *, since: datetime | None, by: Caller, at: datetime) -> Newest[Run]:
    found = filter_runs(RunSearch(statuses=(status,), happened_from=since), by=by, at=at)
    ids = list(found.order_by("-happened_at", "-id").values_list("pk", flat=True)[:MAX_COUNT])
    shown = Run.objects.filter(pk__in=ids[:MAX_ROWS]).select_related("instrument").annotate(failure=FAILED_FILE)
    return Newest(list(shown.order_by("-happened_at", "-id")) if ids else [], len(ids))


def _take_newest(rows: Sequence[Row]) -> Newest[Row]:
    return Newest(rows[:MAX_ROWS], len(rows))
