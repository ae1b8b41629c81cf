"""A person's own rules: listing, adding, pausing and forgetting them, and saying them as a sentence."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from accounts.callers import Caller
from accounts.models import User
from instruments.models import Instrument
from notifications.rules.models import NotificationRule, RuleEvent, RuleQuerySet, Whose
from runs.projects.models import Project
from wire.errors import Conflict, NotFound, Unauthorized, ValidationError

MAX_RULES = 50
NOBODYS = "A watcher falls silent for nobody in particular: with an instrument, or none, and nothing else."
NOWHERE = "A rule must reach you somewhere: in the inbox or by e-mail."


class RuleMissing(NotFound):
    def __init__(self) -> None:
        super().__init__("There is no such rule.")


class RuleExists(Conflict):
    def __init__(self, wish: "RuleWish") -> None:
        super().__init__("You have this rule already.", event=str(wish.event), whose=str(wish.whose))


class TooManyRules(Conflict):
    def __init__(self) -> None:
        super().__init__(f"At most {MAX_RULES} rules. Delete one first.", max_rules=MAX_RULES)


@dataclass(frozen=True)
class RuleWish:
    """What a rule is to say; `person_id` is given where `whose` is PERSON, and only there."""

    event: RuleEvent
    whose: Whose = Whose.ANYBODY
    person_id: UUID | None = None
    instrument_id: str | None = None
    project_id: UUID | None = None
    tag: str = ""
    in_app: bool = True
    email: bool = False


def list_rules(*, by: Caller) -> RuleQuerySet:
    """One's own, the oldest first."""
    rules = NotificationRule.objects.visible_to(by).select_related("person", "instrument", "project")
    return rules.order_by("created_at", "id")


@transaction.atomic
def add_rule(wish: RuleWish, *, by: Caller, at: datetime) -> NotificationRule:
    """Raises ValidationError, RuleExists, TooManyRules. Its owner is locked, so that two cannot add the last one."""
    user = _require_person(by)
    if faults := _find_faults(wish, by=by):
        raise ValidationError(fields=faults)
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if NotificationRule.objects.filter(user=user).count() >= MAX_RULES:
        raise TooManyRules
    try:
        with transaction.atomic():
            made = NotificationRule.objects.create(user=user, created_at=at, **asdict(wish))
    except IntegrityError:
        raise RuleExists(wish) from None
    return list_rules(by=by).get(pk=made.pk)


@transaction.atomic
def change_rule(rule_id: UUID, *, values: Mapping[str, Any], by: Caller, at: datetime) -> NotificationRule:
    """Set `in_app` and `email`; with `paused` let it rest, or go on. Raises RuleMissing, ValidationError."""
    rule = _lock_rule(rule_id, by=by)
    rule.in_app, rule.email = values.get("in_app", rule.in_app), values.get("email", rule.email)
    if not (rule.in_app or rule.email):
        raise ValidationError(fields={"in_app": [NOWHERE]})
    if "paused" in values:
        rule.paused_at = (rule.paused_at or at) if values["paused"] else None
    rule.save(update_fields=["in_app", "email", "paused_at"])
    return list_rules(by=by).get(pk=rule.pk)


@transaction.atomic
def delete_rule(rule_id: UUID, *, by: Caller) -> None:
    """Raises RuleMissing."""
    _lock_rule(rule_id, by=by).delete()


def describe_rule(rule: NotificationRule) -> str:
    """The rule as a sentence."""
    subject, ways = describe_subject(rule), describe_ways(in_app=rule.in_app, email=rule.email)
    return f"When {subject} {RuleEvent(rule.event).label}, tell me {ways}."


def describe_subject(rule: NotificationRule) -> str:
    if rule.event == RuleEvent.WATCHER_SILENT:
        return f"the watcher of {rule.instrument.display_name}" if rule.instrument else "any watcher"
    words = [Whose(rule.whose).label]
    words += [rule.person.name] if rule.person else []
    words += [f"on {rule.instrument.display_name}"] if rule.instrument else []
    words += [f"in the project {rule.project.name}"] if rule.project else []
    words += [f"with the tag {rule.tag}"] if rule.tag else []
    return " ".join(words)


def describe_ways(*, in_app: bool, email: bool) -> str:
    return " and ".join([*(["in the inbox"] if in_app else []), *(["by e-mail"] if email else [])])


def _find_faults(wish: RuleWish, *, by: Caller) -> dict[str, list[str]]:
    faults = {}
    if (wish.whose is Whose.PERSON) != (wish.person_id is not None):
        faults["person"] = ["A person is named where `whose` is `person`, and only there."]
    elif wish.person_id and not User.objects.filter(pk=wish.person_id).exists():
        faults["person"] = ["There is no such person."]
    if wish.event is RuleEvent.WATCHER_SILENT and (wish.whose is not Whose.ANYBODY or wish.project_id or wish.tag):
        faults["event"] = [NOBODYS]
    if wish.instrument_id and not Instrument.objects.visible_to(by).filter(pk=wish.instrument_id).exists():
        faults["instrument_id"] = ["There is no such instrument."]
    if wish.project_id and not Project.objects.visible_to(by).filter(pk=wish.project_id).exists():
        faults["project_id"] = ["There is no such project."]
    if not (wish.in_app or wish.email):
        faults["in_app"] = [NOWHERE]
    return faults


def _lock_rule(rule_id: UUID, *, by: Caller) -> NotificationRule:
    rule = NotificationRule.objects.visible_to(by).select_for_update().filter(pk=rule_id).first()
    if rule is None:
        raise RuleMissing
    return rule


def _require_person(by: Caller) -> User:
    if by.user is None:
        raise Unauthorized("Only people have rules.")
    return by.user
