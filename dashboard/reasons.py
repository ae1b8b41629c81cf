"""Why somebody does what a form of the dashboard sends, as they say: told in histories (wire/change_reason.py)."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.http import HttpRequest

from wire.audit_context import audit_context
from wire.change_reason import FIELD, read_reason


@contextmanager
def stated_reason(request: HttpRequest) -> Iterator[None]:
    """Within it, what changes is changed for that reason, its lines joined to one. Raises ValidationError."""
    reason = read_reason(" ".join(request.POST.get(FIELD, "").split()))
    with audit_context(reason=reason or None):
        yield
