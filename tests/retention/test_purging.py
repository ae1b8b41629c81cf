"""Purging frees what the preview said, whatever ends it in between; what is held stays."""

import io
import os
import random
import signal
from contextlib import suppress

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from accounts.callers import caller_for_user
from archives.models import ArchiveJob
from changes.models import Change
from files.models import File, ObjectRemoval, Thumbnail
from files.object_keys import build_storage_key, new_key_nonce
from files.removing.lock import RemovalOnHold, hold_removals
from files.storage import object_store
from files.storage.local import LocalStore
from files.storage.orphans import sweep_orphans
from files.stored.recount import find_drifted_runs
from files.stored.sizes import correct_range, find_drift, read_kept_sizes
from files.thumbnails.keeping import SmallPicture, ThumbnailMissing, find_thumbnail, keep_thumbnail
from files.thumbnails.models import ThumbnailType
from retention import purging
from retention.preview import Freed, Preview, preview_instrument
from retention.purging import Purged, purge_due
from retention.tasks import purge
from runs.holds.placing import hold_project, hold_run
from runs.models import Run
from tests.factories import make_file, make_hold, make_instrument, make_project, make_run, make_user
from tests.races import at_once
from tests.retention.lab import (
    OLD,
    RULES,
    fill,
    make_deleted_run,
    make_old_run,
    settle,
    store_archive,
    store_file,
    stored_bytes,
)
from wire.clock import now

pytestmark = pytest.mark.django_db


class Killed(BaseException):
    """As a kill: nothing of ours catches it."""


def list_changes(kind: str) -> list[tuple[str | None, int | None]]:
    settle()
    return list(Change.objects.filter(type=kind).values_list("run_id", "file_id"))


def purge_all() -> Purged:
    return purge_due(clock=now, goes_on=lambda: True)


def test_each_rule_frees_what_the_preview_said():
    instrument = fill()
    due, before = preview_instrument(instrument, at=now()), stored_bytes()

    done = purge_all()

    assert due.by_rule == {
        "purge_deleted_after_days": Freed(3, 3, 7 * 6),
        "expire_raw_after_days": Freed(3, 3, 3 * 6),
        "expire_processed_after_days": Freed(3, 3, 9 * 6),
        "expire_archives_after_days": Freed(3, 3, 7 * 6),
    }
    assert (due.runs, due.files, due.bytes) == (6, 12, 26 * 6)
    assert done == Purged(runs=3, files=12, bytes=due.bytes)
    assert before - stored_bytes() == due.bytes
    assert preview_instrument(instrument, at=now()).files == 0
    assert not ArchiveJob.objects.exists()


def test_the_age_of_a_file_decides_whatever_that_of_its_run():
    """Which is younger where a clock was set back in between."""
    instrument = make_instrument(expire_raw_after_days=30)
    store_file(make_run(instrument=instrument), b"raw")
    store_file(make_run(instrument=instrument), b"young", uploaded_at=now())
    due = preview_instrument(instrument, at=now())

    done = purge_all()

    assert due == Preview(1, 1, 3, due.by_rule)
    assert done == Purged(files=1, bytes=3)


def test_pictures_that_went_with_their_comments_are_previewed_too():
    """Once each, whether their run was deleted as well; one that is still in a comment stays with its run."""
    instrument = make_instrument(purge_deleted_after_days=30)
    kept, gone = make_old_run(instrument), make_deleted_run(instrument)
    picture = {"category": "processed", "extracted": {"kind": "comment_picture"}}
    for run in (kept, gone):
        store_file(run, b"taken", deleted_at=now() - OLD, **picture)
        store_file(run, b"of a comment", **picture)
    store_file(kept, b"taken lately", deleted_at=now(), **picture)
    due, before = preview_instrument(instrument, at=now()), stored_bytes()

    done = purge_all()

    assert due.by_rule["purge_deleted_after_days"] == Freed(2, 3, 5 + 5 + 12)
    assert (due.runs, due.files, due.bytes) == (2, 3, 22)
    assert done == Purged(runs=1, files=3, bytes=22)
    assert before - stored_bytes() == due.bytes


def test_without_rules_nothing_goes():
    instrument = fill()
    type(instrument).objects.update(**dict.fromkeys(RULES))
    before = stored_bytes()

    assert (purge_all(), stored_bytes()) == (Purged(), before)


def test_a_purged_file_keeps_its_row_its_checksums_and_the_rule():
    run = make_old_run(make_instrument(expire_raw_after_days=30))
    file = store_file(run, b"raw")

    purge_all()

    kept = File.objects.get(pk=file.pk)
    assert (kept.sha256, kept.size_bytes, kept.status) == (file.sha256, 3, "completed")
    assert (kept.purged_by_rule, kept.purged_at is not None) == ("expire_raw_after_days", True)
    assert list_changes("file.purged") == [(run.run_id, file.pk)]


def test_counters_go_down_by_what_was_freed():
    instrument = fill()
    correct_range(0, at=now())
    before = sum(size for _, size in (read_kept_sizes() or {}).values())
    due = preview_instrument(instrument, at=now())
    archives = due.by_rule["expire_archives_after_days"].bytes

    purge_all()

    assert before - sum(size for _, size in (read_kept_sizes() or {}).values()) == due.bytes - archives
    assert find_drift(0) == []
    assert list(find_drifted_runs()) in ([], [[]])
    assert sum(Run.objects.values_list("total_size_bytes", flat=True)) == 3 * len(b"young")
    assert sum(Run.objects.values_list("file_count", flat=True)) == 9


def test_an_object_that_another_file_names_stays():
    instrument = make_instrument(expire_raw_after_days=30)
    one, other = store_file(make_old_run(instrument), b"shared"), store_file(make_old_run(make_instrument()), b"own")
    key = "runs/shared/ab/" + "ab" * 16
    object_store().put(key, io.BytesIO(b"shared"), size_bytes=6, content_type="text/plain")
    object_store().delete(one.storage_key)
    File.objects.filter(pk__in=[one.pk, other.pk]).update(storage_key=key)
    assert preview_instrument(instrument, at=now()).bytes == 0

    assert purge_all() == Purged(files=1)

    assert object_store().head(key) is not None
    other.run.instrument.expire_raw_after_days = 30
    other.run.instrument.save()
    assert preview_instrument(other.run.instrument, at=now()).bytes == other.size_bytes
    purge_all()
    assert object_store().head(key) is None


@pytest.mark.parametrize("on", ["run", "project"])
def test_what_is_held_stays(on):
    instrument = make_instrument(**RULES)
    project = make_project()
    for run in (make_old_run(instrument, project=project), make_deleted_run(instrument)):
        store_file(run, b"raw")
        store_archive(run, run.run_id.encode())
        if run.project_id is None or on == "run":
            make_hold(run=run)
        else:
            make_hold(project=project)
    before = stored_bytes()

    assert preview_instrument(instrument, at=now()).by_rule == dict.fromkeys(RULES, Freed())
    assert (purge_all(), stored_bytes()) == (Purged(), before)


def test_the_database_itself_keeps_files_of_held_runs(refused_by):
    run = make_deleted_run(make_instrument())
    file = store_file(run, b"raw")
    make_hold(run=run)
    gone = {"purged_at": now(), "purged_by_rule": "expire_raw_after_days"}

    refused_by("held_files_stay", lambda: File.objects.filter(pk=file.pk).update(**gone))
    refused_by("held_runs_stay", lambda: Run.objects.filter(pk=run.pk).update(purged_at=now()))


def test_half_a_purge_is_not_so(refused_by):
    file = store_file(make_old_run(make_instrument()), b"raw")
    rows, at = File.objects.filter(pk=file.pk), now()

    refused_by("purged_file_was_stored_and_names_its_rule", lambda: rows.update(purged_at=at))
    refused_by("file_purge_rule_is_known", lambda: rows.update(purged_at=at, purged_by_rule="a whim"))
    refused_by("purged_run_stays_deleted", lambda: Run.objects.filter(pk=file.run_id).update(purged_at=at))
    ObjectRemoval.objects.create(storage_key="a", size_bytes=0)
    refused_by("one_removal_per_object", lambda: ObjectRemoval.objects.create(storage_key="a", size_bytes=0))
    refused_by(
        "removal_frees_no_less_than_nothing", lambda: ObjectRemoval.objects.create(storage_key="b", size_bytes=-1)
    )
    instrument = type(file.run.instrument).objects.filter(pk=file.run.instrument_id)
    refused_by("instrument_keeps_for_days", lambda: instrument.update(expire_raw_after_days=0))


def test_a_deleted_run_of_which_files_went_is_not_restored(as_admin, monkeypatch):
    monkeypatch.setattr(purging, "FILES_PER_BATCH", 1)
    run = make_deleted_run(make_instrument(**RULES))
    store_file(run, b"one")
    store_file(run, b"two")
    address = f"/api/v1/instruments/{run.instrument_id}/runs/{run.run_id}"
    admin = as_admin()

    purge_due(clock=now, goes_on=lambda: False)
    half = admin.post(f"{address}/restore")
    purge_all()
    whole = admin.post(f"{address}/restore")

    assert (half.status_code, whole.status_code) == (410, 410)
    assert whole.json()["error"]["details"]["rule"] == "purge_deleted_after_days"
    assert admin.get(address).json()["purged_at"] == whole.json()["error"]["details"]["purged_at"]
    assert list_changes("run.purged") == [(run.run_id, None)]


def test_the_small_picture_of_a_purged_artefact_goes_with_it_and_is_not_drawn_again():
    run = make_old_run(make_instrument(expire_processed_after_days=30))
    shown = store_file(run, b"{}", category="processed", filename="curve.json", extracted={"kind": "curve"})
    Thumbnail.objects.create(
        run=run,
        file=shown,
        storage_key=shown.storage_key,
        content_type="image/svg+xml",
        data=b"<svg/>",
        digest="0" * 16,
    )
    by = caller_for_user(make_user())
    assert find_thumbnail(instrument=run.instrument_id, run_id=run.run_id, by=by)

    purge_all()
    assert not Thumbnail.objects.exists()
    keep_thumbnail(run.pk, SmallPicture(shown, ThumbnailType.SVG, b"<svg/>"))  # drawn before, kept late

    assert not Thumbnail.objects.exists()
    with pytest.raises(ThumbnailMissing):
        find_thumbnail(instrument=run.instrument_id, run_id=run.run_id, by=by)


def test_bytes_that_came_and_were_never_confirmed_go_with_their_deleted_run():
    instrument = make_instrument(**RULES)
    gone, kept = (make_run_with_unconfirmed_bytes(run) for run in (make_deleted_run(instrument), make_run()))
    due = preview_instrument(instrument, at=now())

    done = purge_all()

    assert [object_store().head(one.storage_key) is None for one in (gone, kept)] == [True, False]
    gone.refresh_from_db()
    assert (gone.storage_key, gone.run.purged_at is not None, gone.purged_at) == (None, True, None)
    assert (done.bytes, due.bytes) == (0, 0)


def test_bytes_that_were_never_confirmed_stay_with_a_held_run():
    run = make_deleted_run(make_instrument(**RULES))
    make_hold(run=run)
    kept = make_run_with_unconfirmed_bytes(run)

    purge_all()

    assert object_store().head(kept.storage_key) is not None


def make_run_with_unconfirmed_bytes(run: Run) -> File:
    file = make_file(run=run, status="upload_requested", storage_bucket="local", size_bytes=4)
    file.storage_key = build_storage_key(file, new_key_nonce())
    file.save(update_fields=["storage_key"])
    object_store().put(file.storage_key, io.BytesIO(b"sent"), size_bytes=4, content_type="text/plain")
    return file


def test_nothing_goes_while_the_store_is_copied():
    fill()
    before = stored_bytes()

    with hold_removals(), pytest.raises(RemovalOnHold):
        purge_all()

    assert stored_bytes() == before


def test_the_task_and_the_command_purge(capsys):
    due = preview_instrument(fill(), at=now())
    before = stored_bytes()

    call_command("purge", "--dry-run")
    assert f"{due.bytes:,} bytes" in capsys.readouterr().out
    call_command("purge")
    purge()

    assert f"{due.bytes:,} bytes freed" in capsys.readouterr().out
    assert before - stored_bytes() == due.bytes


def test_the_sweep_finds_objects_of_purged_files_too():
    run = make_old_run(make_instrument(expire_raw_after_days=30))
    file = store_file(run, b"raw")
    File.objects.filter(pk=file.pk).update(purged_at=now(), purged_by_rule="expire_raw_after_days")

    assert sweep_orphans(at=now() + 2 * (now() - file.uploaded_at)).objects == 1


@pytest.mark.parametrize("step", ["refuse_during_copy", "lock_runs", "decide_removals", "remove_decided", "purge_runs"])
def test_a_purge_that_is_cut_off_at_any_step_frees_what_the_preview_said(step, monkeypatch):
    monkeypatch.setattr(purging, "FILES_PER_BATCH", 2)
    instrument = fill()
    due, before = preview_instrument(instrument, at=now()), stored_bytes()

    for number in range(5):
        cut_off(monkeypatch, step, after=number)
    purge_all()

    assert before - stored_bytes() == due.bytes
    assert not ObjectRemoval.objects.exists()


@pytest.mark.parametrize("is_before", [True, False])
def test_a_purge_that_is_cut_off_at_any_object_frees_what_the_preview_said(is_before, monkeypatch):
    instrument = fill()
    due, before = preview_instrument(instrument, at=now()), stored_bytes()
    delete = LocalStore.delete
    left = [0]

    def delete_or_die(self, key):
        if not is_before:
            delete(self, key)
        left[0] -= 1
        if left[0] < 0:
            raise Killed
        if is_before:
            delete(self, key)

    with monkeypatch.context() as patched:
        patched.setattr(LocalStore, "delete", delete_or_die)
        for number in range(4):
            left[0] = number
            with pytest.raises(Killed):
                purge_all()
    purge_all()

    assert before - stored_bytes() == due.bytes


def cut_off(monkeypatch, step: str, *, after: int) -> None:
    """A purge whose so-manyth call of this step ends it."""
    original, calls = getattr(purging, step), [after]

    def call_or_die(*args, **named):
        calls[0] -= 1
        if calls[0] < 0:
            raise Killed
        return original(*args, **named)

    with monkeypatch.context() as patched:
        patched.setattr(purging, step, call_or_die)
        with suppress(Killed):
            purge_all()


@pytest.mark.django_db(transaction=True)
@pytest.mark.slow
def test_a_purge_killed_twenty_times_frees_exactly_what_the_preview_said(monkeypatch):
    monkeypatch.setattr(purging, "FILES_PER_BATCH", 2)
    instrument = fill(runs=60)
    due, before = preview_instrument(instrument, at=now()), stored_bytes()
    chance, cut = random.Random(21), 0

    for _ in range(20):
        cut += is_killed(after=chance.uniform(0.02, 0.25))
    purge_all()

    assert cut >= 5
    assert before - stored_bytes() == due.bytes
    assert File.objects.filter(purged_at__isnull=False).count() + 60 == due.files
    assert list(find_drifted_runs()) in ([], [[]])
    assert not ObjectRemoval.objects.exists()


def close_connections() -> None:
    """So that two processes never share one."""
    connection.close()
    if hasattr(connection, "close_pool"):
        connection.close_pool()


def is_killed(*, after: float) -> bool:
    """A process that purges, killed after so many seconds; whether that came before its end.

    By an alarm that it does not catch: whoever waited to kill it may sleep for longer, on a busy machine.
    """
    close_connections()
    child = os.fork()
    if child == 0:
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_REAL, after)
            purge_all()
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("attempt", range(3))
def test_of_holds_and_a_purge_at_once_each_is_before_or_after(attempt, monkeypatch):
    monkeypatch.setattr(purging, "FILES_PER_BATCH", 1)
    instrument, ines, project = make_instrument(**RULES), make_user(is_admin=True), make_project()
    runs = [make_old_run(instrument, project=project if number < 3 else None) for number in range(6)]
    for run in runs:
        store_file(run, b"raw")
        store_file(run, b"processed", category="processed")
    by = caller_for_user(ines)

    def act(number):
        if number == 0:
            return purge_all()
        if number == 1:
            hold_project(project.pk, reason="Audit", by=by, at=now())
            held = runs[:3]
        else:
            held = [runs[number + 1]]
            hold_run(instrument=instrument.pk, run_id=held[0].run_id, reason="Audit", by=by, at=now())
        return File.objects.filter(run__in=held, purged_at__isnull=False).count()

    _, *seen_at_once = at_once(5, act)

    purge_all()
    now_purged = File.objects.filter(purged_at__isnull=False)
    assert now_purged.count() == sum(seen_at_once)
    assert stored_bytes() == sum(File.objects.stored().values_list("size_bytes", flat=True))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [((), "No instrument has a rule of retention."), (("--instrument", "x"), "x has no rule of retention.")],
)
def test_without_rules_the_command_says_so(capsys, arguments, told):
    make_instrument(id="x")

    call_command("purge", "--dry-run", *arguments)

    assert capsys.readouterr().out.strip() == told


@pytest.mark.parametrize("name", ["", "nothing-such"])
def test_the_command_takes_no_instrument_that_is_not_there_for_all_of_them(name):
    fill()
    before = stored_bytes()

    with pytest.raises(CommandError, match="There is no instrument"):
        call_command("purge", "--instrument", name)

    assert stored_bytes() == before
