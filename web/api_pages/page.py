"""/api/docs: the OpenAPI document as a page of our own, under the same content policy as every other page."""

import json
from functools import cache

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

from web.api_pages.document import get_document
from web.api_pages.document_reader import DocumentReader
from wire.errors import MethodNotAllowed


def docs_page(request: HttpRequest) -> HttpResponse:
    """Open to everybody, as the document is."""
    if request.method not in ("GET", "HEAD"):
        refusal = MethodNotAllowed(f"{request.method} is not served here.")
        refusal.headers["Allow"] = "GET, HEAD"
        raise refusal
    return render(request, "api/docs.html", {"calls": render_calls()})


@cache
def render_calls() -> SafeString:
    """All that is the same for every reader; the document cannot change while the process lives."""
    body, _ = get_document()
    reader = DocumentReader(json.loads(body))
    shown = {
        "base": reader.base,
        "document": f"{settings.PUBLIC_URL}/api/v1/openapi.json",
        "groups": reader.list_groups(),
        "introduction": render_description(reader.document["info"]["description"]),
        "refusals": reader.list_refusals(),
    }
    return mark_safe(render_to_string("api/_calls.html", shown))  # noqa: S308 (a template of ours, escaped by itself)


def render_description(text: str) -> SafeString:
    """Our own text; raw HTML in it stays text."""
    return mark_safe(MarkdownIt("commonmark", {"html": False}).render(text))  # noqa: S308 (html is off)
