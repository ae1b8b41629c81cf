"""Why somebody does what a form of the dashboard sends, as they say: told in histories (wire/change_reason.py)."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from dashboard.origins import page_before
from wire.audit_context import MAX_TEXT_CHARS, audit_context
from wire.change_reason import FIELD, read_reason
from wire.errors import ValidationError

OF_THE_FORM = (FIELD, "csrfmiddlewaretoken")  # fields that the page asking again has of its own


def with_stated_reason(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """What the view changes is changed for the reason that its form states, its lines joined to one.

    A reason that cannot be kept is asked for again, before anything is done.
    """

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        stated = request.POST.get(FIELD, "")
        try:
            reason = read_reason(" ".join(stated.split()))
        except ValidationError as refused:
            return _ask_again(request, stated, refused)
        with audit_context(reason=reason or None):
            return view(request, *args, **kwargs)

    return answer


def _ask_again(request: HttpRequest, stated: str, refused: ValidationError) -> HttpResponse:
    """With what was typed, and all else that the form said."""
    faults = (refused.details or {}).get("fields", {})
    kept = [(name, value) for name, values in request.POST.lists() if name not in OF_THE_FORM for value in values]
    shown = {
        "url": request.get_full_path(),
        "fields": kept,
        "typed": stated,
        "faults": faults[FIELD],
        "longest": MAX_TEXT_CHARS,
    }
    return render(request, "reason.html", shown | {"before": page_before(request) or "/"}, status=400)
