"""Pictures that were put into a comment which was never sent: nothing shows them, and after a day nobody sends it."""

from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import CharField, Exists, OuterRef, Q, Value
from django.db.models.functions import Cast, Concat

from files.models import File, FileQuerySet
from files.pictures.comment_pictures import OF_COMMENTS, remove_pictures
from runs.markdown import PICTURE_ADDRESS
from runs.models import Comment, Run

UNSENT_PERIOD = timedelta(days=1)
RUNS_PER_SWEEP = 1_000
UNHELD = Q(run__deleted_at__isnull=True, run__hold__isnull=True, run__project__hold__isnull=True)


def remove_unsent_pictures(*, at: datetime) -> int:
    """Row and bytes, for good, run by run; how many. Those of held and of deleted runs stay. Raises RemovalOnHold."""
    unsent = _filter_unsent(at=at).filter(UNHELD)
    runs = unsent.order_by("run_id").values_list("run_id", flat=True).distinct()[:RUNS_PER_SWEEP]
    removed = [_remove_of_run(run_id, at=at) for run_id in runs]
    return sum(removed)


@transaction.atomic
def _remove_of_run(run_id: UUID, *, at: datetime) -> int:
    """Comments are written with their run locked: none comes between the question and the removal."""
    if not Run.objects.select_for_update().filter(pk=run_id).exists():
        return 0
    return remove_pictures(_filter_unsent(at=at).filter(UNHELD, run=run_id))


def _filter_unsent(*, at: datetime) -> FileQuerySet:
    """Stored a day ago, and named by no comment of the run that is still there."""
    before, after = PICTURE_ADDRESS.split("{}")
    address = Concat(Value(before), Cast(OuterRef("pk"), CharField()), Value(after))
    naming = Comment.objects.active().filter(run=OuterRef("run"), body__contains=address)
    old = File.objects.stored().active().filter(OF_COMMENTS, uploaded_at__lte=at - UNSENT_PERIOD)
    return old.filter(~Exists(naming))
