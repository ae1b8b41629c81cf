"""The dashboard's stylesheet, served as one file: its parts stand in the place of their imports."""

import re
from collections.abc import Mapping
from hashlib import sha256
from http import HTTPStatus
from io import BytesIO
from pathlib import Path

from django.http import HttpRequest
from django.utils.cache import get_conditional_response
from whitenoise.responders import NOT_ALLOWED_RESPONSE, Response

IMPORT = re.compile(r'@import "([^"]+)" layer\((\w+)\);')
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
MARGIN = re.compile(r"\n\s+")  # blank lines and indentation, which are for those who read the source


def read_stylesheet(path: Path) -> bytes:
    """The stylesheet at `path` with every imported part in its layer, without comments and indentation."""

    def put_in_place(found: re.Match[str]) -> str:
        part = (path.parent / found[1]).read_text(encoding="utf-8")
        return f"@layer {found[2]} {{\n{part}}}"

    whole = IMPORT.sub(put_in_place, path.read_text(encoding="utf-8"))
    return MARGIN.sub("\n", COMMENT.sub("", whole)).lstrip().encode()


class StylesheetResponder:
    """Answers from memory where WhiteNoise's own responders open a file."""

    def __init__(self, content: bytes, headers: list[tuple[str, str]]) -> None:
        self.content = content
        self.etag = f'"{sha256(content).hexdigest()[:12]}"'
        self.headers = [*headers, ("ETag", self.etag)]

    def get_response(self, method: str, request_headers: Mapping[str, str]) -> Response:
        if method not in ("GET", "HEAD"):
            return NOT_ALLOWED_RESPONSE
        if self._is_known(method, request_headers):
            return Response(HTTPStatus.NOT_MODIFIED, self.headers, None)
        headers = [*self.headers, ("Content-Length", str(len(self.content)))]
        return Response(HTTPStatus.OK, headers, BytesIO(self.content) if method == "GET" else None)

    def _is_known(self, method: str, request_headers: Mapping[str, str]) -> bool:
        """Whether the browser has it already, as Django judges it."""
        request = HttpRequest()
        request.method, request.META = method, dict(request_headers)
        answer = get_conditional_response(request, etag=self.etag)
        return answer is not None and answer.status_code == HTTPStatus.NOT_MODIFIED
