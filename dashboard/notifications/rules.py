"""Settings: a person's own notification rules, each as a sentence."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.authentication import caller_of_page
from accounts.callers import Caller
from accounts.people import list_people
from dashboard.guard import page
from dashboard.name_order import sort_instruments, sort_people
from dashboard.notices import Notice, add_notice
from instruments.catalogue import list_instruments
from notifications import access
from notifications.rules.catalogue import add_rule, change_rule, delete_rule, describe_rule, list_rules
from notifications.rules.models import RuleEvent, Whose
from notifications.rules.serializers import read_rule_wish
from runs.projects.catalogue import list_projects
from wire.clock import now
from wire.errors import Conflict, ValidationError

MAX_OFFERED = 500
WAYS = {
    "inbox": {"in_app": True, "email": False},
    "email": {"in_app": False, "email": True},
    "both": {"in_app": True, "email": True},
}
WAY_LABELS = {"inbox": "in the inbox", "email": "by e-mail", "both": "in the inbox and by e-mail"}
RUN_EVENTS = [event for event in RuleEvent if event is not RuleEvent.WATCHER_SILENT]


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@page(access.SETTINGS)
def rule_list(request: HttpRequest) -> HttpResponse:
    """The rules that one has, and the form of a new one; what is refused comes back in it."""
    by = caller_of_page(request)
    if request.method != "POST":
        return render(request, "notifications/rules.html", rules_context(by=by))
    try:
        made = add_rule(read_rule_wish(read_form(request)), by=by, at=now())
    except (ValidationError, Conflict) as error:
        shown = {**rules_context(by=by), "typed": request.POST, "fault": explain_refusal(error)}
        return render(request, "notifications/rules.html", shown, status=400)
    add_notice(request, Notice(describe_rule(made)))
    return HttpResponseRedirect(request.path)


@require_POST
@page(access.SETTINGS)
def act_on_rule(request: HttpRequest, rule_id: UUID) -> HttpResponse:
    """Pause it, let it go on, or delete it."""
    by, at = caller_of_page(request), now()
    acts: dict[str, Callable[[], object]] = {
        "pause": lambda: change_rule(rule_id, values={"paused": True}, by=by, at=at),
        "resume": lambda: change_rule(rule_id, values={"paused": False}, by=by, at=at),
        "delete": lambda: delete_rule(rule_id, by=by),
    }
    act = acts.get(request.POST.get("do", ""))
    if act is None:
        raise ValidationError("This cannot be done with a rule.")
    act()
    return HttpResponseRedirect("/settings/notifications/rules")


def rules_context(*, by: Caller) -> dict[str, Any]:
    return {
        "rules": [(rule, describe_rule(rule)) for rule in list_rules(by=by)],
        "events": RUN_EVENTS,
        "people": sort_people(list_people().filter(is_active=True)[:MAX_OFFERED]),
        "instruments": sort_instruments(list_instruments(by=by)),
        "projects": list_projects(is_archived=False, by=by)[:MAX_OFFERED],
        "ways": WAY_LABELS.items(),
        "has_mail": bool(settings.EMAIL_URL),
    }


def read_form(request: HttpRequest) -> dict[str, Any]:
    """The body that REST would take."""
    given = {name: request.POST.get(name, "").strip() for name in ("event", "instrument_id", "project_id", "tag")}
    asked: dict[str, Any] = {name: text for name, text in given.items() if text}
    whose = request.POST.get("whose", "") or Whose.ANYBODY.value
    is_person = whose not in (Whose.ANYBODY, Whose.MINE)
    asked |= {"whose": Whose.PERSON.value, "person": whose} if is_person else {"whose": whose}
    return asked | WAYS.get(request.POST.get("way", ""), {})


def explain_refusal(error: ValidationError | Conflict) -> str:
    fields = (error.details or {}).get("fields", {})
    return " ".join(text for texts in fields.values() for text in texts) or error.message
