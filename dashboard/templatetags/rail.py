"""What the rail says of the person it belongs to."""

from typing import Any

from django import template

from accounts.authentication import caller_of_page
from notifications.inbox import count_unread
from notifications.models import Follow
from watchers.fleet import health_of_instruments
from wire.clock import now

register = template.Library()
MAX_FOLLOWED = 12
RUN_PAGES = ("/runs", "/compare", "/combine", "/projects", "/downloads", "/datasets")


@register.filter
def is_among_runs(path: str) -> bool:
    """Whether the page is one of runs, wherever its address begins."""
    return "/runs/" in path or path.startswith(RUN_PAGES)


@register.simple_tag(takes_context=True)
def unread(context: template.Context) -> int:
    """How many unread messages wait in the inbox."""
    return count_unread(by=caller_of_page(context["request"]))


@register.simple_tag(takes_context=True)
def manages(context: template.Context) -> bool:
    """Whether this person, no admin, is the manager of a group with instruments."""
    return bool(caller_of_page(context["request"]).managed)


@register.simple_tag(takes_context=True)
def followed(context: template.Context) -> list[dict[str, Any]]:
    """The instruments this person follows, each with the state of its watcher, `none` without one."""
    by = caller_of_page(context["request"])
    follows = Follow.objects.visible_to(by).select_related("instrument").order_by("instrument__display_name", "id")
    instruments = [follow.instrument for follow in follows[:MAX_FOLLOWED]]
    states = health_of_instruments([one.pk for one in instruments], at=now()) if instruments else {}
    return [{"id": one.pk, "name": one.display_name, "state": states.get(one.pk, "none")} for one in instruments]
