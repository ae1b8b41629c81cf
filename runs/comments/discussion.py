"""What people and tokens say about a run."""

from datetime import datetime
from uuid import UUID

from django.db import transaction

from accounts.callers import Caller
from runs.comments.models import CommentQuerySet
from runs.lifecycle import RunIsDeleted, find_run, lock_active_run, lock_run
from runs.mentions.naming import record_mentions
from runs.models import Comment, Run
from runs.signals import comment_added, comment_changed, people_mentioned
from wire.errors import Forbidden, NotFound
from wire.versions import ANY_VERSION, ExpectedVersions


class CommentMissing(NotFound):
    def __init__(self) -> None:
        super().__init__("There is no such comment.")


class NotTheAuthor(Forbidden):
    def __init__(self) -> None:
        super().__init__("Only its author may change a comment.")


def list_comments(*, instrument: str, run_id: str, by: Caller) -> CommentQuerySet:
    """Active ones, oldest first; of a deleted run too. Raises RunMissing."""
    return list_comments_of(find_run(instrument=instrument, run_id=run_id, by=by))


def list_comments_of(run: Run) -> CommentQuerySet:
    """The same of a run that the caller was shown."""
    return Comment.objects.active().filter(run=run).select_related("user", "token").order_by("created_at", "id")


@transaction.atomic
def add_comment(*, instrument: str, run_id: str, body: str, by: Caller, at: datetime) -> Comment:
    run = lock_active_run(instrument=instrument, run_id=run_id, by=by)
    comment = Comment.objects.create(run=run, user=by.user, token=by.token, body=body, created_at=at)
    comment_added.send(sender=Comment, comment=comment, by=by, at=at)
    comment_changed.send(sender=Comment, comment=comment, before="", at=at)
    _tell_mentioned(comment, by=by, at=at)
    return comment


@transaction.atomic
def edit_comment(
    comment_id: UUID,
    *,
    instrument: str,
    run_id: str,
    body: str,
    expected: ExpectedVersions = ANY_VERSION,
    by: Caller,
    at: datetime,
) -> Comment:
    comment = _lock_own_comment(comment_id, instrument=instrument, run_id=run_id, by=by)
    expected.require(*comment.changeable_values)
    before, comment.body, comment.edited_at = comment.body, body, at
    comment.save(update_fields=["body", "edited_at"])
    comment_changed.send(sender=Comment, comment=comment, before=before, at=at)
    _tell_mentioned(comment, by=by, at=at)
    return comment


@transaction.atomic
def delete_comment(
    comment_id: UUID,
    *,
    instrument: str,
    run_id: str,
    expected: ExpectedVersions = ANY_VERSION,
    by: Caller,
    at: datetime,
) -> Comment:
    comment = _lock_own_comment(comment_id, instrument=instrument, run_id=run_id, by=by)
    expected.require(*comment.changeable_values)
    comment.deleted_at = at
    comment.save(update_fields=["deleted_at"])
    comment_changed.send(sender=Comment, comment=comment, before=comment.body, at=at)
    return comment


def _tell_mentioned(comment: Comment, *, by: Caller, at: datetime) -> None:
    people = record_mentions(comment, at=at)
    if people:
        people_mentioned.send(sender=Comment, comment=comment, people=people, by=by, at=at)


def _lock_own_comment(comment_id: UUID, *, instrument: str, run_id: str, by: Caller) -> Comment:
    """CommentMissing, NotTheAuthor, RunIsDeleted: asked in this order. The run is locked first."""
    run = lock_run(instrument=instrument, run_id=run_id, by=by)
    comment = _find_active_comment(comment_id, run=run)
    if (comment.user_id, comment.token_id) != (by.user and by.user.pk, by.token and by.token.pk):
        raise NotTheAuthor
    if run.deleted_at is not None:
        raise RunIsDeleted(run)
    return comment


def _find_active_comment(comment_id: UUID, *, run: Run) -> Comment:
    found = Comment.objects.active().filter(run=run, id=comment_id).select_related("user", "token").first()
    if found is None:
        raise CommentMissing
    found.run = run
    return found
