"""Watchers that are online but blind: found by a sweep, announced once."""

from datetime import datetime

from watchers.choices import FOLDER_AWAY_AFTER, FolderState
from watchers.folders import list_silent_of_files
from watchers.liveness import announce_each
from watchers.models import Watcher
from watchers.signals import files_went_missing, folder_went_away


def announce_blind_watchers(*, at: datetime) -> int:
    """Announce folders that are away for ten minutes, and instruments whose files do not come; how many those are."""
    Watcher.objects.filter(folder_away_announced_at__isnull=False, folder_away_since__isnull=True).update(
        folder_away_announced_at=None
    )
    away = Watcher.objects.online(at).filter(
        folder_away_announced_at__isnull=True, folder_away_since__lte=at - FOLDER_AWAY_AFTER
    )
    told = announce_each(away, folder_went_away, mark={"folder_away_announced_at": at}, at=at)
    silent = list_silent_of_files()
    Watcher.objects.filter(no_files_announced_at__isnull=False).exclude(pk__in=silent.values("pk")).update(
        no_files_announced_at=None
    )
    untold = silent.online(at).filter(no_files_announced_at__isnull=True, folder_state=FolderState.WATCHING)
    return told + announce_each(untold, files_went_missing, mark={"no_files_announced_at": at}, at=at)
