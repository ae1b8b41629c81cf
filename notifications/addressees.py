"""Who hears of an announcement, and by which ways: by what they follow, claimed and commented, and by their rules."""

from collections.abc import Mapping
from uuid import UUID

from accounts.models import User
from accounts.sight import keep_those_who_see
from notifications.inbox import Ways
from notifications.models import Announcement, Follow, NotificationKind
from notifications.rules.matching import match_rules
from notifications.rules.models import RuleEvent
from runs.models import Claim, Comment, Mention

RULE_EVENTS = {
    NotificationKind.RUN_COMPLETED: RuleEvent.RUN_COMPLETED,
    NotificationKind.RUN_FAILED: RuleEvent.RUN_FAILED,
    NotificationKind.FILE_FAILED: RuleEvent.FILE_FAILED,
    NotificationKind.COMMENT: RuleEvent.COMMENT,
    NotificationKind.MENTION: RuleEvent.COMMENT,  # whom a comment names hears of it once, by both ways
    NotificationKind.ARCHIVE_READY: RuleEvent.ARCHIVE_READY,
    NotificationKind.WATCHER_OFFLINE: RuleEvent.WATCHER_SILENT,
}
BY_KIND = Ways(by_kind=True)


def find_addressees(line: Announcement) -> dict[UUID, Ways]:
    """The people who are to hear of it, each once, without whoever did it and from whom a group keeps it."""
    ways: dict[UUID, Ways] = dict.fromkeys(recipients_of(line), BY_KIND)
    for person, more in _match(line).items():
        ways[person] = ways.get(person, Ways()) | more
    people = _keep_addressed(line, ways) - {line.sender_id}
    about = line.instrument_id or (line.run.instrument_id if line.run else None)
    seeing = keep_those_who_see(people, about) if about and people else people
    return {person: ways[person] for person in ways if person in seeing}


def recipients_of(line: Announcement) -> set[UUID]:
    """By kind and by what people follow, claimed or commented: docs/interface.md, Notifications."""
    match NotificationKind(line.kind):
        case NotificationKind.RUN_CREATED:
            return _followers(line)
        case NotificationKind.RUN_FAILED | NotificationKind.FILE_FAILED:
            return _followers(line) | list_admins() | _claimants(line)
        case NotificationKind.COMMENT:
            return _claimants(line) | _commenters(line)
        case NotificationKind.MENTION:
            return set(line.recipient_ids or ())
        case NotificationKind.WATCHER_OFFLINE | NotificationKind.WATCHER_ONLINE:
            return _followers(line) | list_admins()
        case NotificationKind.FOLDER_AWAY | NotificationKind.NO_FILES:
            return _followers(line) | list_admins()
        case NotificationKind.INSTANCE_CONFLICT:
            return list_admins()
    return set()


def list_admins() -> set[UUID]:
    """Who rules the dashboard."""
    return set(User.objects.filter(is_admin=True, is_active=True).values_list("pk", flat=True))


def _match(line: Announcement, *, event: RuleEvent | None = None) -> dict[UUID, Ways]:
    event = event or RULE_EVENTS.get(NotificationKind(line.kind))
    return match_rules(line, event=event) if event else {}


def _keep_addressed(line: Announcement, ways: Mapping[UUID, Ways]) -> set[UUID]:
    """Nobody hears of one thing twice: who asked for every file hears of it, not of its run; who is named, of that."""
    match NotificationKind(line.kind):
        case NotificationKind.RUN_FAILED:
            return set(ways) - set(_match(line, event=RuleEvent.FILE_FAILED))
        case NotificationKind.FILE_FAILED:
            return {person for person, way in ways.items() if way.in_app or way.email}
        case NotificationKind.COMMENT if line.comment_id:
            return set(ways) - set(Mention.objects.filter(comment=line.comment_id).values_list("user_id", flat=True))
        case NotificationKind.MENTION:
            return set(line.recipient_ids or ())
    return set(ways)


def _followers(line: Announcement) -> set[UUID]:
    return set(Follow.objects.filter(instrument=line.instrument_id).values_list("user_id", flat=True))


def _claimants(line: Announcement) -> set[UUID]:
    return set(Claim.objects.filter(run=line.run_id).values_list("user_id", flat=True))


def _commenters(line: Announcement) -> set[UUID]:
    rows = Comment.objects.active().filter(run=line.run_id, user__isnull=False)
    return set(rows.values_list("user_id", flat=True).distinct())
