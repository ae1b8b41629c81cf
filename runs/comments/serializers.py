"""Wire shapes of comments."""

from typing import Any

from rest_framework import serializers

from accounts.serializers import PersonSerializer, TokenRefSerializer
from runs.comments.models import Comment
from wire.fields import LongText, Timestamp, Uuid
from wire.versions import etag_of, version_of


def etag_of_comment(comment: Comment) -> str:
    version = version_of(*comment.changeable_values)
    return etag_of(version, str(comment.pk))


class CommentSerializer(serializers.Serializer[Comment]):
    id = Uuid()
    body = serializers.CharField()
    user = PersonSerializer(allow_null=True)
    token = TokenRefSerializer(allow_null=True)
    created_at = Timestamp()
    edited_at = Timestamp(allow_null=True)
    etag = serializers.SerializerMethodField()

    def get_etag(self, comment: Comment) -> str:
        return etag_of_comment(comment)


class CommentBody(LongText):
    """Trailing space does not count and is not kept."""

    def to_internal_value(self, data: Any) -> str:
        return super().to_internal_value(data).rstrip()


class CommentBodySerializer(serializers.Serializer[Any]):
    body = CommentBody(min_length=1, max_length=10_000, help_text="Markdown.")


class DeletedCommentSerializer(serializers.Serializer[Comment]):
    id = Uuid()
    deleted_at = Timestamp()
