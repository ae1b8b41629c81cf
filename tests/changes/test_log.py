"""The log: what is written, in which order, and what is not."""

import threading
from datetime import timedelta

import pytest
from django.db import connection, transaction

from accounts.callers import Caller, caller_for_token, caller_for_user
from archives.models import ArchiveJob
from changes.log import (
    ChangeFilter,
    PositionGone,
    find_changes,
    find_position_before,
    forget_changes,
    read_changes,
    read_end,
)
from changes.models import Change, LogState
from files.models import File
from instruments.models import Instrument
from runs.models import Run
from tests.factories import (
    make_comment,
    make_file,
    make_instrument,
    make_run,
    make_token,
    make_user,
    make_watcher,
)
from tests.races import at_once
from watchers.models import Watcher
from wire.clock import now

pytestmark = pytest.mark.django_db
ALL = ChangeFilter()


def settle():
    """What a commit would do."""
    connection.check_constraints()


def types():
    settle()
    return list(Change.objects.order_by("position").values_list("type", flat=True))


def empty_log():
    settle()
    Change.objects.all().delete()


def everybody():
    return caller_for_user(make_user())


def add(kind="run.created", instrument="reader-1", run="r"):
    with connection.cursor() as cursor:
        cursor.execute("SELECT public.record_change(%s, %s, %s, NULL, NULL, NULL, NULL)", [kind, instrument, run])
    return Change.objects.latest("position").position


def test_a_run_is_told_from_report_to_deletion_and_back():
    run = make_run(run_id="batch 7")
    file = make_file(run=run)
    File.objects.filter(pk=file.pk).update(
        status="uploaded", uploaded_at=now(), storage_key="k", storage_bucket="b", size_bytes=1
    )
    File.objects.filter(pk=file.pk).update(status="processing", processing_since=now())
    File.objects.filter(pk=file.pk).update(status="completed", processing_since=None, processed_at=now())
    Run.objects.filter(pk=run.pk).update(deleted_at=now(), deleted_by=make_user())
    Run.objects.filter(pk=run.pk).update(deleted_at=None, deleted_by=None)

    assert types() == [
        *("run.created", "file.uploaded"),
        *("file.completed", "run.completed", "run.deleted", "run.restored"),
    ]
    told = Change.objects.get(type="file.completed")
    assert (told.instrument_id, told.run_id, told.file_id) == (run.instrument_id, "batch 7", file.pk)


def test_a_failed_file_and_its_run_are_told():
    file = make_file(status="uploaded")
    empty_log()

    File.objects.filter(pk=file.pk).update(status="failed")

    assert sorted(types()) == ["file.failed", "run.failed"]


def test_comments_archives_instruments_and_watchers_are_told():
    instrument = make_instrument(status="pending")
    comment = make_comment(run=make_run(instrument=instrument))
    job = ArchiveJob.objects.create(run=comment.run, cache_key="a" * 64, file_ids=[1])
    ArchiveJob.objects.filter(pk=job.pk).update(status="ready", size_bytes=1, completed_at=now())
    failed = ArchiveJob.objects.create(run=comment.run, cache_key="b" * 64, file_ids=[1])
    ArchiveJob.objects.filter(pk=failed.pk).update(status="failed", completed_at=now())
    watcher = make_watcher(instrument=instrument, status="watching", last_heartbeat_at=now())
    Watcher.objects.filter(pk=watcher.pk).update(offline_announced_at=now())
    Watcher.objects.filter(pk=watcher.pk).update(offline_announced_at=None)

    assert types() == [
        *("instrument.pending", "run.created", "comment.created", "archive.ready", "archive.failed"),
        *("watcher.registered", "watcher.offline", "watcher.online"),
    ]
    assert Change.objects.get(type="comment.created").comment_id == comment.pk
    assert Change.objects.get(type="archive.ready").archive_job_id == job.pk
    assert Change.objects.get(type="watcher.online").watcher_id == watcher.pk


def test_a_heartbeat_writes_nothing(as_token):
    api = as_token()
    watcher = make_watcher(token=api.token)
    empty_log()

    answers = [api.post(f"/api/v1/watchers/{watcher.pk}/heartbeat", {"status": "watching"}) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200] * 3
    assert types() == []


def test_what_was_stored_by_processing_is_no_upload():
    make_file(category="processed", status="completed")

    assert types() == ["run.created"]


def test_unknown_types_and_nameless_places_are_refused(refused_by):
    fields = {"at": now(), "instrument_id": "a"}

    refused_by("change_type_is_known", lambda: Change.objects.create(type="run.sneezed", **fields))
    refused_by(
        "change_names_an_instrument",
        lambda: Change.objects.create(type="run.created", **fields | {"instrument_id": ""}),
    )
    refused_by("one_state_of_the_log", lambda: LogState.objects.create(id=2))


@pytest.mark.django_db(transaction=True)
def test_what_is_rolled_back_is_not_told():
    with transaction.atomic():
        make_run()
        transaction.set_rollback(True)

    assert types() == []


@pytest.mark.django_db(transaction=True)
def test_positions_are_in_the_order_of_commits():
    instrument = make_instrument()
    begun, may_commit = threading.Event(), threading.Event()

    def begin_first_and_commit_last():
        with transaction.atomic():
            make_run(instrument=instrument, run_id="begun first")
            begun.set()
            may_commit.wait(30)

    def begin_last_and_commit_first():
        begun.wait(30)
        make_run(instrument=make_instrument(), run_id="committed first")
        may_commit.set()

    at_once(2, lambda number: [begin_first_and_commit_last, begin_last_and_commit_first][number]())

    told = Change.objects.filter(type="run.created").order_by("position").values_list("run_id", flat=True)
    assert list(told) == ["committed first", "begun first"]


@pytest.mark.django_db(transaction=True)
def test_who_follows_sees_each_change_once_and_in_order_while_many_write():
    runs_each, writers = 25, 6
    seen: list[int] = []

    def write(number):
        instrument = make_instrument(id=f"writer-{number}")
        for count in range(runs_each):
            with transaction.atomic():
                make_run(instrument=instrument, run_id=f"run-{count}")
                if count % 5 == 4:
                    transaction.set_rollback(True)

    def read(_):
        by, after = caller_for_user(make_user()), 0
        while len(seen) < writers * runs_each * 4 // 5:
            found = read_changes(after=after, wanted=ALL, by=by, limit=7)
            seen.extend(row.position for row in found.rows)
            after = found.next

    at_once(writers + 1, lambda number: read(number) if number == writers else write(number))

    assert seen == list(Change.objects.order_by("position").values_list("position", flat=True))


def test_a_page_ends_at_its_limit_and_the_next_goes_on_behind_it():
    positions = [add() for _ in range(5)]

    first = read_changes(after=None, wanted=ALL, by=everybody(), limit=3)
    second = read_changes(after=first.next, wanted=ALL, by=everybody(), limit=3)

    assert [row.position for row in [*first.rows, *second.rows]] == positions
    assert second.next == positions[-1]


def test_a_filter_moves_on_past_what_it_leaves_out():
    add("run.created"), add("file.uploaded")
    last = add("run.created", instrument="reader-2")

    found = read_changes(after=None, wanted=ChangeFilter(types=("file.uploaded",)), by=everybody())

    assert ([row.type for row in found.rows], found.next) == (["file.uploaded"], last)


def test_types_and_instruments_are_merged_in_order():
    kinds = ["run.created", "file.uploaded", "run.deleted", "run.created", "file.uploaded"]
    positions = [add(kind) for kind in kinds]

    found = read_changes(after=0, wanted=ChangeFilter(types=("run.created", "file.uploaded")), by=everybody())

    assert [row.position for row in found.rows] == [positions[index] for index in (0, 1, 3, 4)]


def test_a_bound_token_follows_its_instruments_only():
    add(instrument="reader-1"), add(instrument="reader-2"), add(instrument="reader-3")
    by = caller_for_token(make_token(instrument_ids=["reader-1", "reader-3"]))

    found = read_changes(after=0, wanted=ALL, by=by)
    foreign = read_changes(after=0, wanted=ChangeFilter(instrument_id="reader-2"), by=by)
    nothing = read_changes(after=0, wanted=ALL, by=Caller(instrument_ids=()))

    assert [row.instrument_id for row in found.rows] == ["reader-1", "reader-3"]
    assert (foreign.rows, nothing.rows) == ([], [])


def test_a_rare_type_is_found_by_its_index(django_assert_num_queries):
    by, wanted = everybody(), ChangeFilter(types=("watcher.offline",))
    add()

    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("REINDEX TABLE changes_change")  # what earlier tests rolled back weighs on some indexes
    plan = find_changes(after=0, upto=read_end(), wanted=wanted, by=by, limit=10).explain()

    assert "changes_of_type" in plan


def test_a_call_asks_thrice(django_assert_num_queries):
    by = everybody()
    add()

    with django_assert_num_queries(3):
        read_changes(after=None, wanted=ALL, by=by)


def test_what_is_older_than_a_month_is_forgotten_and_its_positions_refused():
    old, kept = add(), add()
    Change.objects.filter(position=old).update(at=now() - timedelta(days=31))
    LogState.objects.create(sent_to=kept)

    assert forget_changes(at=now()) == 1

    with pytest.raises(PositionGone) as gone:
        read_changes(after=old - 1, wanted=ALL, by=everybody())
    assert gone.value.details == {"oldest": old}
    assert [row.position for row in read_changes(after=old, wanted=ALL, by=everybody()).rows] == [kept]
    assert [row.position for row in read_changes(after=None, wanted=ALL, by=everybody()).rows] == [kept]


def test_an_empty_log_keeps_its_place():
    old = add()
    Change.objects.update(at=now() - timedelta(days=31))
    LogState.objects.create(sent_to=old)
    forget_changes(at=now())

    assert read_changes(after=old, wanted=ALL, by=everybody()).next == old
    assert read_end() == old


def test_what_webhooks_do_not_have_yet_is_kept():
    add()
    Change.objects.update(at=now() - timedelta(days=31))

    assert forget_changes(at=now()) == 0


def test_a_position_that_was_never_given_is_refused():
    end = add()

    with pytest.raises(PositionGone):
        read_changes(after=end + 1, wanted=ALL, by=everybody())


def test_an_instrument_that_becomes_pending_again_is_told():
    instrument = make_instrument()

    Instrument.objects.filter(pk=instrument.pk).update(status="pending")

    assert types() == ["instrument.pending"]


def test_a_moment_is_found_among_positions_with_holes():
    positions = [add() for _ in range(9)]
    Change.objects.filter(position__in=positions[3:5]).delete()
    at = now()
    for number, position in enumerate(positions):
        Change.objects.filter(position=position).update(at=at + timedelta(minutes=number))

    found = [find_position_before(at + timedelta(minutes=number)) for number in range(-1, 11)]

    told = [
        list(Change.objects.filter(position__gt=one).values_list("position", flat=True).order_by("position"))
        for one in found
    ]
    assert told == [
        [position for number, position in enumerate(positions) if number >= least and number not in (3, 4)]
        for least in range(-1, 11)
    ]
