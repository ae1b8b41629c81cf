"""The floor: run list and heartbeat as bare Django views with the service's middleware, hand-written SQL and orjson.

It formats less than the service does (no initials, no derived `stalled`) and counts no waiting files, so it flatters
itself a little. Serve it with `uvicorn tests.benchmarks.floor:application`.
"""

import hashlib
import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import orjson
from a2wsgi import WSGIMiddleware
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from operations.bench import reference_statements as reference
from web.public_routes import PUBLIC_ROUTES

COLUMNS = (
    *("id", "instrument_id", "instrument_display_name", "instrument_type", "run_id", "source", "watcher_id"),
    *("metadata", "acquired_at", "created_at", "updated_at", "deleted_at"),
    *("deleted_by_id", "deleted_by_name", "deleted_by_token_id", "deleted_by_token_name", "attributions"),
    *("status", "processing_since", "file_count", "total_size_bytes", "comment_count"),
)


def list_runs(request: HttpRequest) -> HttpResponse:
    with connection.cursor() as cursor:
        cursor.execute(reference.FIND_TOKEN, [digest_of(request)])
        if cursor.fetchone() is None:
            return HttpResponse(status=401)
        cursor.execute(reference.COUNT_RUNS)
        (total,) = cursor.fetchone()
        cursor.execute(reference.LIST_RUNS)
        rows = [row_of(values) for values in cursor.fetchall()]
    pagination = {"page": 1, "per_page": 20, "total": int(total), "total_pages": -(-int(total) // 20)}
    return HttpResponse(orjson.dumps({"data": rows, "pagination": pagination}), content_type="application/json")


def row_of(values: tuple[Any, ...]) -> dict[str, Any]:
    """Django hands JSON over as text; orjson takes it as it is."""
    row = dict(zip(COLUMNS, values, strict=True))
    for name in ("metadata", "attributions"):
        row[name] = orjson.Fragment(row[name])
    return row


@csrf_exempt  # as every bearer's request is
def hear(request: HttpRequest, watcher: UUID) -> HttpResponse:
    with connection.cursor() as cursor:
        cursor.execute(reference.FIND_TOKEN, [digest_of(request)])
        if cursor.fetchone() is None:
            return HttpResponse(status=401)
        at = datetime.now(UTC)
        cursor.execute(reference.RECORD_HEARTBEAT, orjson.loads(request.body) | {"watcher": watcher, "at": at})
        checksum = cursor.fetchone()
    answer = {"ok": True, "server_time": at, "config_checksum": checksum, "upload_requests": 0}
    return HttpResponse(orjson.dumps(answer), content_type="application/json")


def digest_of(request: HttpRequest) -> str:
    return hashlib.sha256(request.headers["Authorization"].removeprefix("Bearer ").encode()).hexdigest()


urlpatterns = [path("api/v1/instrument-runs", list_runs), path("api/v1/watchers/<uuid:watcher>/heartbeat", hear)]
PUBLIC_ROUTES.update({str(route.pattern): "The floor asks for the token by itself." for route in urlpatterns})
settings.ROOT_URLCONF = __name__
wsgi: Any = get_wsgi_application()  # django-stubs and a2wsgi spell WSGI's types differently
application: Any = WSGIMiddleware(wsgi, workers=settings.WEB_THREADS)
