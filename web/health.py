"""/livez and /readyz, for supervisors and load balancers."""

from django.conf import settings
from django.db import Error, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache

from files.storage import object_store
from overview.system_status import has_queue, has_storage
from wire.migrations import schema_watch


@never_cache
def livez(request: HttpRequest) -> JsonResponse:
    """The process answers. Touches nothing else."""
    return JsonResponse({"status": "ok"})


@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    """503 without the database, and while it lacks migrations of this code (`./ids manage prepare`).

    200 and `degraded` without the queue or the object store.

    `storage_checksums` says who compares uploads with their checksums: `verified`, `read_back`, or `unknown` yet.
    """
    parts = {"database": has_database()}
    if parts["database"]:
        parts["migrations"] = has_migrations()
    if not all(parts.values()):
        return JsonResponse({"status": "unavailable", **parts}, status=503, headers={"Retry-After": "5"})
    parts |= {"queue": has_queue(), "storage": has_storage()}
    mode = object_store().checksum_mode
    status = "ok" if all(parts.values()) else "degraded"
    return JsonResponse({"status": status, **parts, "storage_checksums": mode, "version": settings.VERSION})


def has_database() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        return True
    except Error:
        return False


def has_migrations() -> bool:
    """One more on the database's side does no harm: that is an upgrade under way, and this process the older one."""
    try:
        return schema_watch.is_current()
    except Error:
        return False
