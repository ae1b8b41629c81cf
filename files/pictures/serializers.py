"""Wire shapes of pictures in comments."""

from typing import Any

from rest_framework import serializers

from files.models import File
from files.pictures.comment_pictures import MAX_ALT_CHARS, write_markdown

ANY_NAME = 1_000  # characters: what is longer than is kept is cut, not refused


class PictureParams(serializers.Serializer[Any]):
    name = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=ANY_NAME,
        help_text=f"What is read in its place; {MAX_ALT_CHARS} characters of it are kept.",
    )


class CommentPictureSerializer(serializers.Serializer[Any]):
    file_id = serializers.IntegerField()
    markdown = serializers.CharField(help_text="What a comment of this run says to show it.")


def represent_picture(file: File, *, name: str) -> dict[str, Any]:
    return {"file_id": file.pk, "markdown": write_markdown(file, alt=name)}
