"""/livez and /readyz, for supervisors and load balancers."""

from django.core.cache import cache
from django.db import Error, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache

from files.storage import object_store
from wire.errors import ServiceError


@never_cache
def livez(request: HttpRequest) -> JsonResponse:
    """The process answers. Touches nothing else."""
    return JsonResponse({"status": "ok"})


@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    """503 without the database; 200 and `degraded` without the queue or the object store."""
    parts = {"database": has_database()}
    if not parts["database"]:
        return JsonResponse({"status": "unavailable", **parts}, status=503, headers={"Retry-After": "5"})
    parts |= {"queue": has_queue(), "storage": has_storage()}
    return JsonResponse({"status": "ok" if all(parts.values()) else "degraded", **parts})


def has_database() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        return True
    except Error:
        return False


def has_queue() -> bool:
    return cache.ping() if hasattr(cache, "ping") else True


def has_storage() -> bool:
    try:
        object_store().check()
        return True
    except ServiceError:
        return False
