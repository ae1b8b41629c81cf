"""REST: pictures for comments."""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.parsers import BaseParser
from rest_framework.request import Request, is_form_media_type
from rest_framework.response import Response

from accounts.authentication import caller_of
from accounts.viewsets import ViewSet
from files.pictures.comment_pictures import add_comment_picture
from files.pictures.serializers import CommentPictureSerializer, PictureParams, represent_picture
from runs import access
from wire.clock import now
from wire.inputs import read_query


class PictureParser(BaseParser):
    """The bytes as they are, whatever they are said to be: what they are is asked of them."""

    media_type = "*/*"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        if is_form_media_type(media_type or ""):
            raise UnsupportedMediaType(media_type or "")
        return bytes(stream.read())


class CommentPictureViewSet(ViewSet):
    tag = "Comments"
    parser_classes = (PictureParser,)
    access = {"create": access.COMMENT}

    @extend_schema(
        request={"image/png": OpenApiTypes.BINARY, "image/jpeg": OpenApiTypes.BINARY},
        parameters=[PictureParams],
        responses={201: CommentPictureSerializer},
    )
    def create(self, request: Request, instrument_id: str, run_id: str) -> Response:
        """Store a picture for comments of a run. The body is its bytes, at most 10 MiB.

        The same bytes again are the same file. It is shown once a comment says the answered Markdown.
        """
        name, by = read_query(PictureParams, request.query_params)["name"], caller_of(request)
        sent: Any = request.data  # without a body nothing is parsed
        data = sent if isinstance(sent, bytes) else b""
        file = add_comment_picture(instrument=instrument_id, run_id=run_id, data=data, by=by, at=now())
        return Response(represent_picture(file, name=name), status=201)
