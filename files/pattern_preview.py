"""What patterns would make of the files that an instrument sent of late."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import QuerySet

from accounts.callers import Caller
from files.choices import FileCategory
from files.models import File
from runs.models import Run
from watchers.config_rules import read_patterns
from watchers.file_patterns import FilePatterns, PatternsUnusable
from watchers.fleet import find_watcher
from watchers.wanted_config import read_fitting
from wire.errors import ValidationError

MAX_RUNS, MAX_FILES_OF_RUN = 20, 25


@dataclass(frozen=True)
class PatternPreview:
    """Relative paths, newest run first."""

    taken: Sequence[str]
    left_out: Sequence[str]

    @property
    def total(self) -> int:
        return len(self.taken) + len(self.left_out)


def preview_patterns(watcher_id: UUID, *, config_yaml: str, by: Caller) -> PatternPreview:
    """Of up to 25 stored files of each of the 20 last runs of its instrument. Raises as want_config does."""
    watcher = find_watcher(watcher_id, by=by)
    wanted, ignored = read_patterns(read_fitting(config_yaml, watcher=watcher))
    paths = _list_last_paths(watcher.instrument_id, by=by)
    try:
        patterns = FilePatterns(wanted=wanted, ignored=ignored)
        taken = [path for path in paths if patterns.takes(path)]
    except PatternsUnusable as unusable:
        raise ValidationError(fields={"config_yaml": [f"file_patterns: {unusable}"]}) from None
    chosen = set(taken)
    return PatternPreview(taken, [path for path in paths if path not in chosen])


def _list_last_paths(instrument_id: str, *, by: Caller) -> Sequence[str]:
    """Each once. Later versions of a file are left out: their names are the service's."""
    runs = Run.objects.visible_to(by).filter(instrument_id=instrument_id, deleted_at__isnull=True)
    last = runs.order_by("-happened_at", "-id").values_list("pk", flat=True)[:MAX_RUNS]
    of_runs = [_list_paths(run) for run in last]
    if not of_runs:
        return []
    found = of_runs[0].union(*of_runs[1:], all=True) if len(of_runs) > 1 else of_runs[0]
    return list(dict.fromkeys(found))


def _list_paths(run: UUID) -> QuerySet[File, str]:
    raw = File.objects.filter(run=run, category=FileCategory.RAW, version_of__isnull=True, deleted_at__isnull=True)
    stored = raw.filter(uploaded_at__isnull=False).order_by("natural_key", "id")
    return stored.values_list("relative_path", flat=True)[:MAX_FILES_OF_RUN]
