"""What was found wrong with stored bytes: seen, seen again, healed."""

from bisect import bisect_left
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Q, QuerySet

from files.integrity.models import FileScrub, FindingKind, HealedFrom, IntegrityFinding
from files.integrity.verification import Contradiction
from files.signals import integrity_finding
from files.stored.inventory import ReferencedObject

SHOWN, MAX_OVERDUE = 100, 1_000


@dataclass(frozen=True)
class Discovery:
    """Of one object: what is wrong with it. `contradiction` is None where there is nothing to compare."""

    file_id: int
    name: ReferencedObject
    kind: FindingKind
    contradiction: Contradiction | None = None


@dataclass(frozen=True)
class IntegrityState:
    """Of the whole store. `oldest_read_at` is None where no file is looked after yet."""

    within_days: int
    mb_per_second: int
    open: dict[str, int]
    oldest_read_at: datetime | None
    overdue: int

    @property
    def is_on(self) -> bool:
        return self.within_days > 0


def list_open_findings() -> QuerySet[IntegrityFinding]:
    """Bytes that were purged are missed by nobody, whatever they were before."""
    return IntegrityFinding.objects.filter(healed_at__isnull=True, file__purged_at__isnull=True)


def list_findings() -> list[IntegrityFinding]:
    """The newest, open ones first."""
    rows = IntegrityFinding.objects.select_related("file__run__instrument").order_by("-first_seen_at", "-pk")
    opened = list(rows.filter(pk__in=list_open_findings())[:SHOWN])
    ended = rows.filter(Q(healed_at__isnull=False) | Q(file__purged_at__isnull=False))
    return opened + list(ended[: SHOWN - len(opened)])


def read_integrity(*, at: datetime) -> IntegrityState:
    """By indexes: findings that are open are few, and of what is overdue no more than a thousand is counted."""
    days = settings.SCRUB_WITHIN_DAYS
    oldest = list(FileScrub.objects.order_by("scrubbed_at").values_list("scrubbed_at", flat=True)[:MAX_OVERDUE])
    counts = list_open_findings().values_list("kind").annotate(count=Count("*"))
    return IntegrityState(
        within_days=days,
        mb_per_second=settings.SCRUB_MAX_MB_PER_SECOND,
        open={str(kind): 0 for kind in FindingKind} | dict(counts.order_by()),
        oldest_read_at=oldest[0] if oldest else None,
        overdue=bisect_left(oldest, at - timedelta(days=days)) if days else 0,
    )


@transaction.atomic
def record_finding(discovery: Discovery, *, at: datetime) -> IntegrityFinding:
    """A new one is announced; one that is open is seen again."""
    wrong = discovery.contradiction
    seen: dict[str, Any] = {
        "kind": discovery.kind,
        "storage_key": discovery.name.key,
        "expected": str(wrong.expected) if wrong else "",
        "found": str(wrong.found) if wrong else "",
        "last_seen_at": at,
    }
    finding, is_new = IntegrityFinding.objects.update_or_create(
        file_id=discovery.file_id, healed_at=None, defaults=seen, create_defaults=seen | {"first_seen_at": at}
    )
    if is_new:
        integrity_finding.send(IntegrityFinding, finding=finding, at=at)
    return finding


def close_findings(file_id: int, *, healed_from: HealedFrom, at: datetime) -> int:
    """The bytes are what the row says again; how many findings end with that."""
    return list_open_findings().filter(file=file_id).update(healed_at=at, healed_from=healed_from)


def note_failure(finding: IntegrityFinding, reason: str) -> None:
    IntegrityFinding.objects.filter(pk=finding.pk).update(not_healed_because=reason[:500])
