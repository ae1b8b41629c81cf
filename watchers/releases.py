"""Releases of the agent: which one a watcher should run, and which ones are too old to be heard."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.core.exceptions import ValidationError as ModelValidationError
from django.db import IntegrityError, transaction
from django.db.models import F, QuerySet

from accounts.callers import Caller
from watchers.fleet import find_watcher
from watchers.models import WatcherRelease
from watchers.versions import is_older, read_version
from watchers.vocabulary import Channel
from wire.errors import Conflict, NotFound, UpgradeRequired, ValidationError


class AgentTooOld(UpgradeRequired):
    def __init__(self, *, current: str | None, minimum: str | None, latest: str | None) -> None:
        super().__init__(
            f"The agent {current} is too old; {minimum} is the oldest that is heard.",
            current_version=current,
            min_supported_version=minimum,
            latest_version=latest,
        )


class ReleaseMissing(NotFound):
    def __init__(self) -> None:
        super().__init__("There is no such release.")


class ReleaseExists(Conflict):
    def __init__(self, new: "NewRelease") -> None:
        super().__init__(f"{new.version} is known on the channel {new.channel} already.", version=new.version)


@dataclass(frozen=True)
class UpdateCheck:
    """What an agent is told when it asks for an update; where nothing is published, versions are None."""

    channel: Channel
    latest_version: str | None
    min_supported_version: str | None
    mandatory: bool
    update_available: bool


def check_for_update(watcher_id: UUID, *, by: Caller) -> UpdateCheck:
    """Compare a watcher with the current release of its channel. Raises WatcherMissing."""
    watcher = find_watcher(watcher_id, by=by)
    channel = Channel(watcher.channel)
    release = published_releases().filter(channel=channel).first()
    if release is None:
        return UpdateCheck(channel, None, None, mandatory=False, update_available=False)
    return UpdateCheck(
        channel=channel,
        latest_version=release.version,
        min_supported_version=release.min_supported_version,
        mandatory=release.mandatory or is_older(watcher.agent_version, than=release.min_supported_version),
        update_available=is_update(release.version, current=watcher.agent_version),
    )


def is_update(version: str, *, current: str | None) -> bool:
    """Whether an agent should change to `version`; one that does not name a readable version of its own should."""
    return read_version(current) is None or is_older(current, than=version)


def refuse_too_old(agent_version: str | None, *, minimum: str | None, latest: str | None) -> None:
    """Raises AgentTooOld where the current release, `latest`, supports later agents only."""
    if is_older(agent_version, than=minimum):
        raise AgentTooOld(current=agent_version, minimum=minimum, latest=latest)


def published_releases() -> QuerySet[WatcherRelease]:
    """The current one of a channel comes first: it was published last, so an older one can be brought back."""
    return WatcherRelease.objects.filter(published_at__isnull=False).order_by("-published_at", "-id")


def current_releases() -> dict[str, WatcherRelease]:
    """The one that the watchers of each channel should run."""
    return {release.channel: release for release in published_releases().reverse()}


@dataclass(frozen=True)
class NewRelease:
    version: str
    channel: str = Channel.STABLE
    min_supported_version: str | None = None
    mandatory: bool = False
    notes: str = ""


def list_releases() -> QuerySet[WatcherRelease]:
    """The newest of each channel first, drafts before what is published."""
    return WatcherRelease.objects.order_by("-channel", F("published_at").desc(nulls_first=True), "-id")


def create_release(new: NewRelease, *, by: Caller, at: datetime) -> WatcherRelease:
    """A draft that no agent is told of. Raises ValidationError, ReleaseExists."""
    release = WatcherRelease(**vars(new), created_at=at)
    try:
        release.clean_fields(exclude=["channel"])
        release.clean()
    except ModelValidationError as faults:
        raise ValidationError(fields=faults.message_dict) from None
    try:
        with transaction.atomic():
            release.save(force_insert=True)
    except IntegrityError:
        raise ReleaseExists(new) from None
    return release


def set_published(release_id: int, *, is_published: bool, by: Caller, at: datetime) -> WatcherRelease:
    """Tell agents to run it from their next question on, or no longer. Raises ReleaseMissing."""
    chosen = WatcherRelease.objects.filter(pk=release_id)
    if not (publish(chosen, at=at) if is_published else withdraw(chosen)):
        raise ReleaseMissing
    return chosen.get()


def publish(releases: QuerySet[WatcherRelease], *, at: datetime) -> int:
    """Make these what agents are told of, also those published before; how many they are."""
    return releases.update(published_at=at)


def withdraw(releases: QuerySet[WatcherRelease]) -> int:
    """Tell no agent of these any more; how many they were."""
    return releases.update(published_at=None)
