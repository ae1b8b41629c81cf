"""Old raw bytes move to the cold store and come back on request; at no moment are they in neither."""

import io
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction

from accounts.callers import caller_for_user
from archives.models import ArchiveJob
from files.cold import bringing_back, copying
from files.cold.bringing_back import bring_back_next
from files.integrity.scrub import scrub_due_files
from files.models import File, IntegrityFinding, ObjectRemoval, Recall
from files.removing.lock import RemovalOnHold, hold_removals
from files.removing.removals import remove_decided
from files.storage import cold_store, object_store, whole_store
from files.storage.interface import StoreUnavailable
from files.storage.orphans import sweep_orphans
from notifications.models import Notification
from operations.reconciliation.comparison import Reconciliation
from overview.space import measure_space, read_space
from processing.requests import reprocess_file
from retention import cooling
from retention.cooling import Cooled, cool_due
from retention.preview import Freed, preview_instrument
from retention.purging import purge_due
from runs.models import Run
from tests.factories import make_hold, make_instrument, make_signature, make_user
from tests.retention.cold import count_objects, is_whole, places_of, use_cold
from tests.retention.lab import make_deleted_run, make_old_run, store_file
from wire.clock import now

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
SHARED_KEY = "runs/shared/ab/" + "ab" * 16


class Killed(BaseException):
    """As a kill: nothing of ours catches it."""


@pytest.fixture(autouse=True)
def cold(settings, tmp_path):
    use_cold(settings, tmp_path / "cold")
    yield cold_store()
    cold_store.cache_clear()


def always() -> bool:
    return True


def cool() -> Cooled:
    return sum(
        (cool_due(clock=now, goes_on=always, instrument_id=one.pk) for one in cooling.list_cooling_instruments()),
        Cooled(),
    )


def later():
    return now() + timedelta(hours=1)


def remove_old(monkeypatch):
    """What is to be removed once old URLs have ended."""
    monkeypatch.setattr("files.removing.removals.now", later)
    return remove_decided(seconds=60)


def make_cold_file(data=b"raw", **rules):
    file = store_file(make_old_run(make_instrument(cold_raw_after_days=30, **rules)), data)
    assert cool() == Cooled(1, len(data))
    file.refresh_from_db()
    return file


def share(*files):
    object_store().put(SHARED_KEY, io.BytesIO(b"same"), size_bytes=4, content_type="text/plain")
    for file in files:
        object_store().delete(file.storage_key)
    File.objects.filter(pk__in=[one.pk for one in files]).update(storage_key=SHARED_KEY)


def test_old_raw_files_move_and_others_stay(monkeypatch):
    run = make_old_run(make_instrument(cold_raw_after_days=30))
    raw, made = store_file(run, b"raw"), store_file(run, b"made", category="processed")
    young, old_key = store_file(run, b"young", uploaded_at=now()), raw.storage_key
    due = preview_instrument(run.instrument, at=now())

    assert cool() == Cooled(1, 3)

    assert (due.files, due.by_rule["cold_raw_after_days"]) == (0, Freed(1, 1, 3))
    assert places_of(raw) == ("cold", False, True)
    assert is_whole(raw)
    assert [places_of(one)[:2] for one in (made, young)] == [("hot", True)] * 2
    assert object_store().head(old_key) is not None, "URLs that were handed out still lead to it"
    assert remove_old(monkeypatch) == 3
    assert (object_store().head(old_key), cool()) == (None, Cooled())


@pytest.mark.parametrize("name", ["", "no-such"])
def test_the_command_takes_no_instrument_that_is_not_there_for_all_of_them(name):
    file = store_file(make_old_run(make_instrument(cold_raw_after_days=30)), b"raw")

    with pytest.raises(CommandError, match="There is no instrument"):
        call_command("move_cold", "--instrument", name)

    assert places_of(file)[0] == "hot"


def test_a_large_file_moves_in_parts(monkeypatch):
    monkeypatch.setattr(copying, "PUT_AT_ONCE_BYTES", 4)

    assert is_whole(make_cold_file(b"more than that"))


STEPS = [  # each is the end of one step: copied, read back, before naming it, after naming it
    (cooling, "copy_object"),
    (cooling, "keep_cold"),
    (cooling, "rename_object"),
]


@pytest.mark.parametrize(("module", "step"), STEPS)
@pytest.mark.parametrize("is_done", [False, True])
def test_a_kill_between_two_steps_of_moving_loses_nothing(module, step, is_done, monkeypatch):
    file = store_file(make_old_run(make_instrument(cold_raw_after_days=30)), b"raw")
    real = getattr(module, step)

    def kill(*given, **more):
        if is_done:
            real(*given, **more)
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(module, step, kill)
        with pytest.raises(Killed):
            cool()

    assert is_whole(file)
    cool()
    assert is_whole(file)
    remove_old(monkeypatch)
    sweep_orphans(at=now() + timedelta(days=2))
    assert (places_of(file), is_whole(file), count_objects()) == (("cold", False, True), True, (0, 1))


@pytest.mark.parametrize("step", ["copy_object", "keep_hot", "rename_object", "end_recall"])
@pytest.mark.parametrize("is_done", [False, True])
def test_a_kill_between_two_steps_of_bringing_back_loses_nothing(step, is_done, monkeypatch, as_admin):
    file = make_cold_file()
    remove_old(monkeypatch)
    as_admin().post(f"/api/v1/files/{file.pk}/restore")
    real = getattr(bringing_back, step)

    def kill(*given, **more):
        if is_done:
            real(*given, **more)
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(bringing_back, step, kill)
        with pytest.raises(Killed):
            bring_back_next(clock=now)

    assert is_whole(file)
    bring_back_next(clock=later)
    assert (is_whole(file), places_of(file)[0]) == (True, "hot")
    remove_old(monkeypatch)
    sweep_orphans(at=now() + timedelta(days=2))
    assert (is_whole(file), count_objects()) == (True, (1, 0))
    assert Recall.objects.filter(ended_at=None).count() == 0


def test_a_copy_with_other_bytes_is_not_believed(monkeypatch, cold):
    file = store_file(make_old_run(make_instrument(cold_raw_after_days=30)), b"raw")
    real = type(cold).put

    def damage(store, key, source, *, size_bytes, content_type):
        data = b"rAw" if store.bucket == "cold" else source.read()
        return real(store, key, io.BytesIO(data), size_bytes=size_bytes, content_type=content_type)

    monkeypatch.setattr(type(cold), "put", damage)

    assert (cool(), places_of(file), count_objects()) == (Cooled(), ("hot", True, False), (1, 0))


def test_damaged_bytes_stay_and_are_told(cold):
    file = store_file(make_old_run(make_instrument(cold_raw_after_days=30)), b"raw")
    object_store().delete(file.storage_key)
    object_store().put(file.storage_key, io.BytesIO(b"rAw"), size_bytes=3, content_type="text/plain")

    assert (cool(), places_of(file)[0], count_objects()) == (Cooled(), "hot", (1, 0))
    assert IntegrityFinding.objects.get().kind == "damaged"


def test_what_is_held_read_or_packed_stays_and_what_is_signed_moves():
    instrument = make_instrument(cold_raw_after_days=30)
    held, read, packed, signed = (store_file(make_old_run(instrument), b"raw") for _ in range(4))
    make_hold(run=held.run)
    make_signature(run=signed.run)
    ArchiveJob.objects.create(run=packed.run, cache_key="a" * 64, file_ids=[packed.pk])
    File.objects.filter(pk=read.pk).update(status="processing", processing_since=now())

    cool()

    assert [places_of(one)[0] for one in (held, read, packed, signed)] == ["hot", "hot", "hot", "cold"]


def test_a_hold_that_comes_while_bytes_are_copied_keeps_them(monkeypatch):
    file = store_file(make_old_run(make_instrument(cold_raw_after_days=30)), b"raw")
    real = cooling.copy_object

    def copy_and_hold(*given, **more):
        copy = real(*given, **more)
        make_hold(run=file.run)
        return copy

    monkeypatch.setattr(cooling, "copy_object", copy_and_hold)

    assert (cool(), places_of(file), count_objects()) == (Cooled(), ("hot", True, False), (1, 0))


def test_a_purge_that_comes_while_bytes_are_copied_wins(monkeypatch):
    file = store_file(make_old_run(make_instrument(cold_raw_after_days=30)), b"raw")
    real = cooling.copy_object

    def copy_and_purge(*given, **more):
        copy = real(*given, **more)
        File.objects.filter(pk=file.pk).update(purged_at=now(), purged_by_rule="expire_raw_after_days")
        return copy

    monkeypatch.setattr(cooling, "copy_object", copy_and_purge)

    assert (cool(), places_of(file)[0], count_objects()[1]) == (Cooled(), "hot", 0)


def test_nothing_moves_while_the_store_is_copied():
    file = store_file(make_old_run(make_instrument(cold_raw_after_days=30)), b"raw")

    with hold_removals(), pytest.raises(RemovalOnHold):
        cool()

    assert places_of(file) == ("hot", True, False)


def test_a_shared_object_moves_with_all_its_files_or_stays():
    instrument = make_instrument(cold_raw_after_days=30)
    one, other = (store_file(make_old_run(instrument), b"same") for _ in range(2))
    share(one, other)
    File.objects.filter(pk=other.pk).update(uploaded_at=now())

    assert (preview_instrument(instrument, at=now()).by_rule["cold_raw_after_days"].files, cool()) == (0, Cooled())
    File.objects.filter(pk=other.pk).update(uploaded_at=one.uploaded_at)

    assert preview_instrument(instrument, at=now()).by_rule["cold_raw_after_days"] == Freed(2, 2, 4)
    assert cool() == Cooled(2, 4)
    assert [places_of(each) for each in (one, other)] == [("cold", False, True)] * 2
    assert one.storage_key == other.storage_key != SHARED_KEY
    assert count_objects()[1] == 1


def test_a_shared_object_comes_back_for_all_its_files(as_admin):
    instrument = make_instrument(cold_raw_after_days=30)
    one, other = (store_file(make_old_run(instrument), b"same") for _ in range(2))
    share(one, other)
    cool()

    as_admin().post(f"/api/v1/files/{one.pk}/restore")
    bring_back_next(clock=now)

    assert [places_of(each) for each in (one, other)] == [("hot", True, False)] * 2


def test_the_way_to_ask_leads_to_a_run_of_any_name(as_admin):
    file, admin = make_cold_file(), as_admin()
    Run.objects.filter(pk=file.run_id).update(run_id="50 % #1?")
    run = f"/api/v1/instruments/{file.run.instrument_id}/runs/50%20%25%20%231%3F"

    refused = admin.get(f"{run}/download-archive", headers={"Accept": "application/json"})

    assert refused.json()["error"]["details"]["restore"] == f"{run}/files:restore"


def test_a_cold_file_is_refused_with_the_way_to_ask_for_it(as_admin):
    file, admin = make_cold_file(), as_admin()
    run = f"/api/v1/instruments/{file.run.instrument_id}/runs/{file.run.run_id}"

    answers = [
        admin.get(f"/api/v1/files/{file.pk}/download", headers={"Accept": "application/json"}),
        admin.post(f"/api/v1/files/{file.pk}/reprocess"),
        admin.get(f"{run}/download-archive", headers={"Accept": "application/json"}),
    ]

    assert [answer.status_code for answer in answers] == [409] * 3
    assert answers[0].json()["error"]["details"] == {
        "file_id": file.pk,
        "storage_class": "cold",
        "restore_requested_at": None,
        "restore": f"/api/v1/files/{file.pk}/restore",
    }
    assert answers[2].json()["error"]["details"]["restore"] == f"{run}/files:restore"
    shown = admin.get(f"/api/v1/files/{file.pk}").json()
    assert (shown["storage_class"], shown["restore_requested_at"]) == ("cold", None)


def test_a_run_comes_back_stays_a_while_and_its_requester_is_told(as_admin, monkeypatch, settings):
    file, admin = make_cold_file(), as_admin()
    remove_old(monkeypatch)
    address = f"/api/v1/instruments/{file.run.instrument_id}/runs/{file.run.run_id}/files:restore"

    first, again = admin.post(address), admin.post(address)
    assert admin.get(f"/api/v1/files/{file.pk}").json()["restore_requested_at"] is not None
    bring_back_next(clock=now)

    assert [answer.status_code for answer in (first, again)] == [202, 202]
    assert (first.json()["files"], first.json()["size_bytes"]) == (1, 3)
    assert [answer.json()["already_applied"] for answer in (first, again)] == [False, True]
    assert (places_of(file), is_whole(file)) == (("hot", True, False), True)
    told = Notification.objects.get(recipient=admin.user)
    assert (told.message, told.run_id) == (f"Run {file.run.run_id} is back from cold storage.", file.run_id)
    assert admin.get(f"/api/v1/files/{file.pk}/download").status_code == 302
    assert cool() == Cooled(), "it stays for COLD_BACK_DAYS"
    File.objects.filter(pk=file.pk).update(hot_until=now())
    assert cool() == Cooled(1, 3)


def test_what_was_purged_cannot_be_brought_back(as_admin):
    file, admin = make_cold_file(), as_admin()
    admin.post(f"/api/v1/files/{file.pk}/restore")
    file.run.instrument.expire_raw_after_days = 30
    file.run.instrument.save()

    purge_due(clock=now, goes_on=always)
    purged = [
        admin.post(f"/api/v1/files/{file.pk}/restore"),
        admin.post(f"/api/v1/instruments/{file.run.instrument_id}/runs/{file.run.run_id}/files:restore"),
    ]
    bring_back_next(clock=now)

    assert [answer.status_code for answer in purged] == [410, 410]
    assert cold_store().head(file.storage_key) is None
    assert "purged" in Notification.objects.get(recipient=admin.user).message


def test_a_recall_that_fails_is_ended_and_told(as_admin, cold):
    file, admin = make_cold_file(), as_admin()
    admin.post(f"/api/v1/files/{file.pk}/restore")
    kept = file.storage_key
    cold.delete(kept)
    for removal in ObjectRemoval.objects.all():
        object_store().delete(removal.storage_key)
    for hours in range(4):
        bring_back_next(clock=lambda hours=hours: now() + timedelta(hours=hours))

    assert IntegrityFinding.objects.get().kind == "missing"
    assert Recall.objects.get().ended_at is not None
    file.refresh_from_db()
    assert (file.storage_class, file.restore_requested_at, file.storage_key) == ("cold", None, kept)
    assert (
        "could not be brought back"
        in Notification.objects.get(recipient=admin.user, message__contains="brought").message
    )


def test_scrub_and_reconcile_look_into_both_stores(cold, monkeypatch):
    file = make_cold_file()
    remove_old(monkeypatch)

    scrub_due_files(clock=now, read_before=now() + timedelta(days=1), sleep=lambda seconds: None)
    work = Reconciliation(whole_store(), read=True, at=now())
    found = [one for batch in work.differences() for one in batch]

    assert (found, work.tally.objects, IntegrityFinding.objects.count()) == ([], 1, 0)
    cold.delete(file.storage_key)
    scrub_due_files(clock=now, read_before=now() + timedelta(days=1), sleep=lambda seconds: None)
    assert IntegrityFinding.objects.get().kind == "missing"


def test_a_folder_that_lost_what_it_had_is_not_written_to(cold):
    file = make_cold_file()
    store_file(make_old_run(file.run.instrument), b"raw")
    cold.delete(file.storage_key)

    with pytest.raises(StoreUnavailable):
        cool()


def test_the_rule_needs_a_cold_store_and_stays_when_it_is_left_out(as_admin, settings):
    admin, instrument = as_admin(), make_instrument()
    address = f"/api/v1/instruments/{instrument.pk}/retention"

    assert admin.put(address, {"cold_raw_after_days": 90}).json()["cold_raw_after_days"] == 90
    assert admin.put(address, {"expire_raw_after_days": 365}).json()["cold_raw_after_days"] == 90
    settings.STORAGES = {name: one for name, one in settings.STORAGES.items() if name != "cold"}
    cold_store.cache_clear()

    refused = admin.put(address, {"cold_raw_after_days": 30})
    assert (refused.status_code, list(refused.json()["error"]["details"]["fields"])) == (400, ["cold_raw_after_days"])
    assert "cold_raw_after_days" not in admin.get(address).json()


def test_a_cold_file_is_not_read_again():
    file, by = make_cold_file(), caller_for_user(make_user())

    with pytest.raises(Exception, match="cold storage"):
        reprocess_file(file.pk, by=by, at=now())


def test_a_run_page_says_what_is_cold_and_brings_it_back(client, as_admin):
    file, admin = make_cold_file(), as_admin()
    client.force_login(admin.user)
    page = f"/instruments/{file.run.instrument_id}/runs/{file.run.run_id}"

    before = " ".join(client.get(page).content.decode().split())
    asked = client.post(f"{page}/files/selection", {"do": "restore-all"})
    after = " ".join(client.get(page).content.decode().split())

    assert "1 file of this run, 3 B, is in cold storage." in before
    assert f"/api/v1/files/{file.pk}/download" not in before
    assert (asked.status_code, File.objects.get(pk=file.pk).restore_requested_at is not None) == (302, True)
    assert ("It is on the way back since" in after, 'value="restore-all"' in after) == (True, False)


def test_picked_files_are_brought_back(client, as_admin):
    file, admin = make_cold_file(), as_admin()
    client.force_login(admin.user)
    page = f"/instruments/{file.run.instrument_id}/runs/{file.run.run_id}"

    client.post(f"{page}/files/selection", {"do": "restore", "file": [file.pk]})

    assert Recall.objects.get().file == file


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("file_storage_class_is_known", {"storage_class": "warm"}),
        ("cold_file_is_stored_and_raw", {"storage_class": "cold", "category": "processed"}),
        ("cold_files_alone_are_brought_back", {"restore_requested_at": "2026-01-01T00:00:00Z"}),
    ],
)
def test_the_database_keeps_what_holds_for_cold_files(name, values):
    file = store_file(make_old_run(make_instrument()), b"raw")

    with pytest.raises(IntegrityError, match=name):
        File.objects.filter(pk=file.pk).update(**values)


def test_the_database_keeps_one_open_recall_and_who_asked():
    run, user = make_old_run(make_instrument()), make_user()
    Recall.objects.create(run=run, requested_by=user)

    with pytest.raises(IntegrityError, match="one_open_recall_per_requester"), transaction.atomic():
        Recall.objects.create(run=run, requested_by=user)
    with pytest.raises(IntegrityError, match="recall_has_one_requester"), transaction.atomic():
        Recall.objects.create(run=run)
    with pytest.raises(IntegrityError, match="instrument_cools_after_days"), transaction.atomic():
        make_instrument(cold_raw_after_days=0)


def test_space_tells_what_is_cold_and_what_retention_would_free(client, as_admin):
    file, admin = make_cold_file(purge_deleted_after_days=30), as_admin()
    store_file(make_old_run(file.run.instrument), b"next")
    store_file(make_deleted_run(file.run.instrument), b"gone")
    client.force_login(admin.user)

    measure_space(at=now())
    report = read_space(at=now())

    assert report is not None
    assert [(rule.name, rule.files, rule.size_bytes) for rule in report.freeing.rules] == [
        ("Purged: soft-deleted runs", 1, 4),
        ("To the cold store: raw files", 1, 4),
    ]
    assert (report.cold_bytes, report.forecast.used_bytes, report.freeing.size_bytes) == (3, 8, 8)
    shown = " ".join(client.get("/settings/space").content.decode().split())
    assert ("3 B in the cold store" in shown, "To the cold store: raw files" in shown) == (True, True)
