"""Pictures go with the last comment that shows them, and come back with their author's next one.

They go as deleted runs do: neither shown nor downloaded, their bytes kept until the retention rule for deleted runs.
"""

from collections.abc import Collection
from datetime import datetime

from files.models import File
from files.pictures.comment_pictures import OF_COMMENTS
from runs.markdown import OWN_PICTURE, PICTURE_ADDRESS, list_pictures
from runs.models import Comment

ADDRESSES_BEGIN = PICTURE_ADDRESS.partition("{")[0]


def settle_pictures(comment: Comment, *, before: str, at: datetime) -> None:
    """Within the transaction of a change to a comment, its run locked; `before` is what it said."""
    after = "" if comment.deleted_at is not None else comment.body
    changed = list_pictures(before) ^ list_pictures(after)
    if not changed:
        return
    stored = File.objects.stored().filter(OF_COMMENTS, run=comment.run_id, pk__in=changed)
    shown = _find_shown(comment, changed)
    stored.active().exclude(pk__in=shown).update(deleted_at=at)
    whose = {"added_by": str(comment.user_id)} if comment.user_id else {"added_by_token": str(comment.token_id)}
    stored.filter(pk__in=shown, deleted_at__isnull=False, extracted__contains=whose).update(deleted_at=None)


def _find_shown(comment: Comment, file_ids: Collection[int]) -> set[int]:
    """Which of these the active comments of the run show."""
    shown: set[int] = set()
    saying = Comment.objects.active().filter(run=comment.run_id, body__contains=ADDRESSES_BEGIN)
    for body in saying.values_list("body", flat=True).iterator():
        if not shown.issuperset(named := {int(found) for found in OWN_PICTURE.findall(body)}.intersection(file_ids)):
            shown |= list_pictures(body) & named
    return shown
