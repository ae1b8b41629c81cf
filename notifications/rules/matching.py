"""Whose rules an announcement meets."""

from uuid import UUID

from django.db.models import Q, QuerySet

from notifications.inbox import Ways
from notifications.models import Announcement
from notifications.rules.models import NotificationRule, RuleEvent, Whose
from runs.models import Claim


def match_rules(line: Announcement, *, event: RuleEvent) -> dict[UUID, Ways]:
    """The owners of rules that were there when it happened, with all the ways that these name; in two queries."""
    rules = list_active_rules(event).filter(created_at__lte=line.created_at)
    rules = rules.filter(_of_such_a_run(line) if line.run else Q(whose=Whose.ANYBODY), _at_such_a_place(line))
    found: dict[UUID, Ways] = {}
    for person, in_app, email in rules.values_list("user_id", "in_app", "email"):
        found[person] = found.get(person, Ways()) | Ways(in_app=in_app, email=email)
    return found


def list_active_rules(event: RuleEvent) -> QuerySet[NotificationRule]:
    return NotificationRule.objects.filter(event=event, paused_at__isnull=True)


def _of_such_a_run(line: Announcement) -> Q:
    """Whoever claimed it by now ran it."""
    claimants = list(Claim.objects.filter(run=line.run_id).values_list("user_id", flat=True))
    mine, theirs = Q(whose=Whose.MINE, user__in=claimants), Q(whose=Whose.PERSON, person__in=claimants)
    return Q(whose=Whose.ANYBODY) | mine | theirs


def _at_such_a_place(line: Announcement) -> Q:
    run = line.run
    instrument = line.instrument_id or (run.instrument_id if run else None)
    here = Q(instrument__isnull=True) | Q(instrument=instrument)
    project = Q(project__isnull=True) | (Q(project=run.project_id) if run and run.project_id else Q(pk__in=[]))
    return here & project & Q(tag__in=["", *(run.tags if run else [])])
