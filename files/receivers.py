"""What comments mean for the files of their run."""

from datetime import datetime
from typing import Any

from django.dispatch import receiver

from files.pictures.shown import settle_pictures
from runs.models import Comment
from runs.signals import comment_changed


@receiver(comment_changed)
def settle_pictures_of_comment(comment: Comment, before: str, at: datetime, **_: Any) -> None:
    settle_pictures(comment, before=before, at=at)
