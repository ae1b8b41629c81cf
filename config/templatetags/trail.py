"""Where the maintainers' site shows the trail of one thing."""

from typing import Any
from urllib.parse import urlencode

from django import template
from django.db.models import Model
from django.urls import reverse

from accounts.trail import trail_of

register = template.Library()


@register.simple_tag
def trail_address(thing: Any) -> str:
    """The list of its changes, found by the index that there is; empty for what leaves none."""
    model: type[Model] = type(thing)
    if not hasattr(model, "pgh_event_model"):
        return ""
    trail = trail_of(model)
    wanted = {"pgh_obj__exact": thing.pk}
    if trail.kept.within:
        wanted[f"{trail.kept.within}__exact"] = getattr(thing, f"{trail.kept.within}_id")
    place = reverse(f"admin:{trail._meta.app_label}_{trail._meta.model_name}_changelist")
    return f"{place}?{urlencode(wanted)}"
