"""Releases of the agent, as admins rule them: drafts, publishing, waves, withdrawal. Who runs which: update_checks."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.core.exceptions import ValidationError as ModelValidationError
from django.db import IntegrityError, transaction
from django.db.models import Count, F, QuerySet

from accounts.callers import Caller
from watchers.choices import Channel, InstallerSystem
from watchers.models import ReleaseInstaller, Watcher, WatcherRelease
from watchers.update_checks import list_published_releases
from wire.errors import Conflict, NotFound, ValidationError


class ReleaseMissing(NotFound):
    def __init__(self) -> None:
        super().__init__("There is no such release.")


class ReleaseExists(Conflict):
    def __init__(self, new: "NewRelease") -> None:
        super().__init__(f"{new.version} is known on the channel {new.channel} already.", version=new.version)


class ReleaseUnpublished(Conflict):
    def __init__(self, release: WatcherRelease) -> None:
        super().__init__(f"{release.version} is a draft: there is nothing to withdraw.", version=release.version)


@dataclass(frozen=True)
class NewRelease:
    """`sha256` and `size_bytes` are of its file, which has no size before it is stored; `signature` is base64."""

    version: str
    channel: str = Channel.STABLE
    min_supported_version: str | None = None
    mandatory: bool = False
    notes: str = ""
    sha256: str | None = None
    size_bytes: int | None = None
    signature: str | None = None
    wave_percent: int = 100


@dataclass(frozen=True)
class ReleaseChange:
    """What is to be changed; None leaves it."""

    published: bool | None = None
    withdrawn: bool | None = None
    wave_percent: int | None = None


@dataclass(frozen=True)
class VersionCount:
    """How many active watchers run a version; None is of those that never said."""

    version: str | None
    watchers: int


def find_current_releases() -> dict[str, WatcherRelease]:
    """Of each channel the one that its watchers should run, as its wave reaches them."""
    return {release.channel: release for release in list_published_releases().reverse()}


def list_releases() -> QuerySet[WatcherRelease]:
    """The newest of each channel first, drafts before what is published."""
    return WatcherRelease.objects.order_by("-channel", F("published_at").desc(nulls_first=True), "-id")


def count_running_versions(*, by: Caller) -> Sequence[VersionCount]:
    """The commonest first."""
    active = Watcher.objects.visible_to(by).active().values_list("agent_version")
    counted = active.annotate(number=Count("pk")).order_by("-number", "agent_version")
    return [VersionCount(version, number) for version, number in counted]


def find_current_installers() -> dict[str, ReleaseInstaller]:
    """For each system the installer of the stable release that was published last and has one."""
    stable = ReleaseInstaller.objects.filter(
        release__channel=Channel.STABLE, release__published_at__isnull=False, release__withdrawn_at__isnull=True
    )
    oldest_first = stable.select_related("release").order_by("release__published_at", "release_id")
    return {one.system: one for one in oldest_first}


def create_release(new: NewRelease, *, by: Caller | None, at: datetime) -> WatcherRelease:
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


def add_installer(
    release: WatcherRelease, system: InstallerSystem, *, filename: str, size_bytes: int, sha256: str
) -> ReleaseInstaller:
    """Offer this file to computers without an agent, in place of an earlier one of the release."""
    told = {"filename": filename, "size_bytes": size_bytes, "sha256": sha256}
    return ReleaseInstaller.objects.update_or_create(release=release, system=system, defaults=told)[0]


@transaction.atomic
def change_release(release_id: int, change: ReleaseChange, *, by: Caller, at: datetime) -> WatcherRelease:
    """Agents hear of it with their next question. Publishing ends a withdrawal.

    Raises ReleaseMissing; ReleaseUnpublished where a draft is to be withdrawn.
    """
    release = WatcherRelease.objects.select_for_update().filter(pk=release_id).first()
    if release is None:
        raise ReleaseMissing
    if change.wave_percent is not None:
        release.wave_percent = change.wave_percent
    if change.published is not None:
        release.published_at, release.withdrawn_at = (at if change.published else None), None
    if change.withdrawn is not None:
        if release.published_at is None:
            raise ReleaseUnpublished(release)
        release.withdrawn_at = (release.withdrawn_at or at) if change.withdrawn else None
    release.save(update_fields=["wave_percent", "published_at", "withdrawn_at"])
    return release


def publish_releases(releases: QuerySet[WatcherRelease], *, at: datetime) -> int:
    """Make these what agents are told of, also those published before; how many they are."""
    return releases.update(published_at=at, withdrawn_at=None)


def withdraw_releases(releases: QuerySet[WatcherRelease], *, at: datetime) -> int:
    """Lead agents back from these to what was published before; how many they were."""
    return releases.filter(published_at__isnull=False, withdrawn_at__isnull=True).update(withdrawn_at=at)
