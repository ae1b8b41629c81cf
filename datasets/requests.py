"""What a request tells those who work for it: whether its client is still there."""

from django.http import HttpRequest

from datasets.engine import Abandonment

ABANDONMENT = "ids.abandonment"  # in the scope, where a lane watches the client: web/lanes/queries.py


def abandonment_of(request: HttpRequest) -> Abandonment | None:
    scope = request.META.get("asgi.scope")
    found = scope.get(ABANDONMENT) if isinstance(scope, dict) else None
    return found if isinstance(found, Abandonment) else None
