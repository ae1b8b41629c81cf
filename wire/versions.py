"""Versions of what REST shows: ETag, If-None-Match and If-Match (RFC 9110, section 13), compared weakly.

A tag has two parts: of what callers may change, and of all that is shown. If-Match asks for the first only, so that a
heartbeat or a comment that came meanwhile stands in nobody's way; If-None-Match asks for both.
"""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.utils.http import parse_etags
from rest_framework.response import Response

from wire.conditional import PreconditionFailed

DIGITS = 20


@dataclass(frozen=True)
class ExpectedVersions:
    """Those one of which a change asks for; None is any."""

    versions: frozenset[str] | None = None

    def require(self, *values: Any) -> None:
        """Raises PreconditionFailed where what is there, of these values, is none of them."""
        if self.versions is not None and version_of(*values) not in self.versions:
            raise PreconditionFailed("It was changed meanwhile: read it again.")


ANY_VERSION = ExpectedVersions()


def version_of(*values: Any) -> str:
    """The version of what callers may change."""
    written = json.dumps(values, sort_keys=True, default=str)
    return hashlib.sha256(written.encode()).hexdigest()[:DIGITS]


def etag_of(version: str, shown: Any) -> str:
    return f'W/"{version}.{version_of(shown)}"'


def expected_versions(request: HttpRequest) -> ExpectedVersions:
    """What If-Match asks for."""
    tags = parse_etags(request.headers.get("If-Match", "*"))
    if "*" in tags:
        return ANY_VERSION
    return ExpectedVersions(frozenset(_opaque_tag(tag).partition(".")[0] for tag in tags))


def expected_by_form(request: HttpRequest) -> ExpectedVersions:
    """Of what a page's form was filled with, which it sends along as `version`."""
    version = request.POST.get("version", "")
    return ExpectedVersions(frozenset([version])) if version else ANY_VERSION


def answer_versioned(request: HttpRequest, shown: Any, *, version: str, status: int = 200) -> Response:
    """The answer with its ETag; 304 without a body where a GET has what it would bring."""
    etag = etag_of(version, shown)
    if request.method in ("GET", "HEAD") and _holds(request.headers.get("If-None-Match", ""), etag):
        return Response(status=304, headers={"ETag": etag})
    return Response(shown, status=status, headers={"ETag": etag})


def _holds(header: str, etag: str) -> bool:
    known = parse_etags(header)
    return "*" in known or _opaque_tag(etag) in map(_opaque_tag, known)


def _opaque_tag(tag: str) -> str:
    return tag.removeprefix("W/").strip('"')
