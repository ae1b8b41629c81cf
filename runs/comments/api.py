"""REST: comments of a run."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.authentication import caller_of
from accounts.viewsets import ViewSet
from runs import access
from runs.comments import discussion
from runs.comments.models import Comment
from runs.comments.serializers import CommentBodySerializer, CommentSerializer, DeletedCommentSerializer
from wire.clock import now
from wire.inputs import read_body
from wire.lists.pagination import PageParams, paginate, present_page, read_window
from wire.openapi import CHANGED_MEANWHILE, IF_MATCH, page_serializer
from wire.outputs import make_presenter, represent
from wire.versions import expected_versions


class CommentViewSet(ViewSet):
    tag = "Comments"
    access = {
        "list": access.READ,
        "create": access.COMMENT,
        "partial_update": access.COMMENT,
        "destroy": access.COMMENT,
    }

    @extend_schema(parameters=[PageParams], responses={200: page_serializer(CommentSerializer)})
    def list(self, request: Request, instrument_id: str, run_id: str) -> Response:
        """The comments of a run, oldest first."""
        window = read_window(request.query_params)
        found = discussion.list_comments(instrument=instrument_id, run_id=run_id, by=caller_of(request))
        return Response(present_page(paginate(found, window), make_presenter(CommentSerializer)))

    @extend_schema(request=CommentBodySerializer, responses={201: CommentSerializer})
    def create(self, request: Request, instrument_id: str, run_id: str) -> Response:
        """Say something about a run."""
        asked = read_body(CommentBodySerializer, request.data)
        made = discussion.add_comment(instrument=instrument_id, run_id=run_id, **asked, by=caller_of(request), at=now())
        return answer_comment(made, status=201)

    @extend_schema(
        request=CommentBodySerializer,
        parameters=[IF_MATCH],
        responses={200: CommentSerializer, 412: CHANGED_MEANWHILE},
    )
    def partial_update(self, request: Request, instrument_id: str, run_id: str, comment_id: UUID) -> Response:
        """Change one's own comment."""
        asked = read_body(CommentBodySerializer, request.data)
        edited = discussion.edit_comment(
            comment_id,
            instrument=instrument_id,
            run_id=run_id,
            **asked,
            expected=expected_versions(request),
            by=caller_of(request),
            at=now(),
        )
        return answer_comment(edited)

    @extend_schema(
        request=None, parameters=[IF_MATCH], responses={200: DeletedCommentSerializer, 412: CHANGED_MEANWHILE}
    )
    def destroy(self, request: Request, instrument_id: str, run_id: str, comment_id: UUID) -> Response:
        """Take one's own comment away."""
        deleted = discussion.delete_comment(
            comment_id,
            instrument=instrument_id,
            run_id=run_id,
            expected=expected_versions(request),
            by=caller_of(request),
            at=now(),
        )
        return Response(represent(DeletedCommentSerializer, deleted))


def answer_comment(comment: Comment, *, status: int = 200) -> Response:
    shown = represent(CommentSerializer, comment)
    return Response(shown, status=status, headers={"ETag": shown["etag"]})
