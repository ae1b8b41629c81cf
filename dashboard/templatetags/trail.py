"""Where the maintainers' site shows the trail of one thing."""

from typing import Any
from urllib.parse import urlencode

from django import template
from django.db.models import Model
from django.urls import reverse

from accounts.trail.rows import find_trail_model

register = template.Library()


@register.simple_tag
def trail_address(thing: Any) -> str:
    """The list of its changes, found by the index that there is; empty for what leaves none."""
    model: type[Model] = type(thing)
    if not hasattr(model, "pgh_event_model"):
        return ""
    trail = find_trail_model(model)
    wanted = {"pgh_obj__exact": thing.pk}
    if trail.audited.parent:
        wanted[f"{trail.audited.parent}__exact"] = getattr(thing, f"{trail.audited.parent}_id")
    place = reverse(f"admin:{trail._meta.app_label}_{trail._meta.model_name}_changelist")
    return f"{place}?{urlencode(wanted)}"
