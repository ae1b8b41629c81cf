"""Which release a watcher shall run now: by channel, wave and withdrawal, which may lead back to an older one."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet

from accounts.callers import Caller
from watchers.choices import Channel
from watchers.fleet import find_watcher
from watchers.models import Watcher, WatcherRelease
from watchers.versions import is_older, parse_version
from wire.errors import UpgradeRequired

WAVE_STEPS = 100


class AgentTooOld(UpgradeRequired):
    def __init__(self, *, current: str | None, minimum: str | None, latest: str | None) -> None:
        super().__init__(
            f"The agent {current} is too old; {minimum} is the oldest that is supported.",
            current_version=current,
            min_supported_version=minimum,
            latest_version=latest,
        )


@dataclass(frozen=True)
class UpdateCheck:
    """What an agent is told when it asks. Without a `release` it runs what it runs; where that is a `rollback`, it goes
    back to what it ran before."""

    channel: Channel
    release: WatcherRelease | None
    mandatory: bool
    update_available: bool
    rollback: bool


def check_for_update(watcher_id: UUID, *, by: Caller) -> UpdateCheck:
    """Compare a watcher with the release that is due for it. Raises WatcherMissing."""
    watcher = find_watcher(watcher_id, by=by)
    known = list(WatcherRelease.objects.filter(channel=watcher.channel).defer("notes"))
    offered = (one for one in known if is_offered(one, watcher))
    due = max(offered, key=_publication, default=None)
    is_rollback = leads_back(watcher, due, known=known)
    is_newer = due is not None and is_update(due.version, current=watcher.agent_version)
    return UpdateCheck(
        channel=Channel(watcher.channel),
        release=due,
        mandatory=is_rollback or (due is not None and _is_mandatory(due, watcher)),
        update_available=is_rollback or is_newer,
        rollback=is_rollback,
    )


def wave_place(watcher_id: UUID) -> int:
    """0 to 99, from the random end of the id, so the same computers come first each time."""
    return (watcher_id.int & 0xFFFF_FFFF) % WAVE_STEPS


def list_published_releases() -> QuerySet[WatcherRelease]:
    """The current one of a channel comes first: it was published last, so an older one can be brought back."""
    published = WatcherRelease.objects.filter(published_at__isnull=False, withdrawn_at__isnull=True)
    return published.order_by("-published_at", "-id")


def is_offered(release: WatcherRelease, watcher: Watcher) -> bool:
    """Whether its wave has reached the watcher; of those that have, the one published last is to be run."""
    is_out = release.published_at is not None and release.withdrawn_at is None
    return is_out and wave_place(watcher.pk) < release.wave_percent


def is_update(version: str, *, current: str | None) -> bool:
    """Whether an agent should change to `version`; one that does not name a readable version of its own should."""
    return parse_version(current) is None or is_older(current, than=version)


def leads_back(watcher: Watcher, due: WatcherRelease | None, *, known: Iterable[WatcherRelease]) -> bool:
    """Whether what the watcher runs was withdrawn, or an older one was published after it.

    A version that was never released here is somebody's own choice, and stays.
    """
    if due is not None and not is_older(due.version, than=watcher.agent_version):
        return False
    running = _find_running(watcher, known)
    if running is None:
        return False
    if running.withdrawn_at is not None:
        return True
    return due is not None and running.published_at is not None and _publication(due) > _publication(running)


def refuse_outdated_agent(agent_version: str | None, *, minimum: str | None, latest: str | None) -> None:
    """Raises AgentTooOld where the release that is due, `latest`, supports later agents only."""
    if is_older(agent_version, than=minimum):
        raise AgentTooOld(current=agent_version, minimum=minimum, latest=latest)


def _find_running(watcher: Watcher, known: Iterable[WatcherRelease]) -> WatcherRelease | None:
    version = parse_version(watcher.agent_version)
    return next((one for one in known if version is not None and parse_version(one.version) == version), None)


def _publication(release: WatcherRelease) -> tuple[datetime, int]:
    """What orders those that were published."""
    assert release.published_at is not None
    return release.published_at, release.pk


def _is_mandatory(due: WatcherRelease, watcher: Watcher) -> bool:
    return due.mandatory or is_older(watcher.agent_version, than=due.min_supported_version)
