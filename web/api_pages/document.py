"""The OpenAPI document, served with an ETag, and a readable page of it."""

import hashlib
import json
from functools import cache
from threading import Lock

from django.http import HttpResponse
from drf_spectacular.generators import SchemaGenerator
from rest_framework.request import Request
from rest_framework.viewsets import ViewSet

from accounts.access import PUBLIC
from wire.conditional import not_modified

GENERATOR_LOCK = Lock()  # the generator fills shared tables as it goes: two that begin together both fail


def get_document() -> tuple[bytes, str]:
    """The document's bytes and its ETag; it cannot change while the process lives."""
    with GENERATOR_LOCK:
        return _generate_document()


@cache
def _generate_document() -> tuple[bytes, str]:
    schema = SchemaGenerator().get_schema(request=None, public=True)
    body = json.dumps(schema, ensure_ascii=False, separators=(",", ":"), default=str).encode()
    return body, f'"{hashlib.sha256(body).hexdigest()[:32]}"'


class OpenApiView(ViewSet):
    """GET /openapi.json and /api/v1/openapi.json. Needs no authentication."""

    access = {"retrieve": PUBLIC}
    schema = None
    authentication_classes = ()
    permission_classes = ()

    def retrieve(self, request: Request) -> HttpResponse:
        body, etag = get_document()
        headers = {"ETag": etag, "Cache-Control": "public, max-age=60"}
        return not_modified(request, headers) or HttpResponse(body, content_type="application/json", headers=headers)
