"""Stored bytes are read again: damage and loss are found, healed where a replica is, and nothing else is a finding."""

import io
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction

from files.integrity import scrub
from files.integrity.findings import list_open_findings, read_integrity
from files.integrity.models import FileScrub, IntegrityFinding
from files.integrity.pace import Pace
from files.integrity.scrub import scrub_due_files
from files.models import File, ObjectRemoval
from files.removing.removals import decide_removals, remove_decided
from files.shared.keys import build_shared_key
from files.storage import object_store, replica_store
from files.storage.layout import DATA_FILE
from notifications.models import Notification
from tests.factories import make_file, make_stored_file, make_user
from tests.stores import use_files
from wire.clock import now

pytestmark = pytest.mark.django_db

DATA = b"what the instrument wrote\n"
LONG_AGO = timedelta(days=100)


@pytest.fixture(autouse=True)
def store(tmp_path, settings):
    use_files(settings, tmp_path / "objects")
    replica_store.cache_clear()
    yield object_store()
    object_store.cache_clear()
    replica_store.cache_clear()


@pytest.fixture
def replica(store, tmp_path, settings):
    options = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path / "second"}}
    settings.STORAGES = settings.STORAGES | {"replica": options}
    replica_store.cache_clear()
    return replica_store()


def make_old_file(data=DATA, **fields):
    return make_stored_file(data=data, **{"uploaded_at": now() - LONG_AGO} | fields)


def damage(store, file, data=b"what the instrument wrotE\n"):
    (store.layout.object_directory(file.storage_key) / DATA_FILE).write_bytes(data)


def read_stored(store, file):
    with store.open_range(file.storage_key) as source:
        return source.read()


def copy_to(replica, file, data=DATA):
    replica.put(file.storage_key, io.BytesIO(data), size_bytes=len(data), content_type="text/plain")


def step(**more):
    return scrub_due_files(clock=now, sleep=lambda seconds: None, **more)


def kept_aside(store):
    return [path.read_bytes() for path in sorted(store.layout.damaged.rglob(DATA_FILE))]


def test_sound_bytes_are_read_once_within_their_days():
    make_old_file()
    make_stored_file(uploaded_at=now())  # was compared as it came

    assert step().files == 1
    assert step().files == 0
    assert not IntegrityFinding.objects.exists()


def test_damage_is_found_and_admins_are_told_once(store):
    admin, member = make_user(is_admin=True), make_user()
    file = make_old_file()
    damage(store, file)

    assert step().findings == 1
    FileScrub.objects.update(scrubbed_at=now() - LONG_AGO)
    step()

    finding = IntegrityFinding.objects.get()
    assert (finding.file, finding.kind, finding.expected) == (file, "damaged", file.crc32)
    assert finding.last_seen_at > finding.first_seen_at
    assert finding.not_healed_because == "No replica is configured."
    assert Notification.objects.filter(recipient=admin, message__contains="found damaged").count() == 1
    assert not Notification.objects.filter(recipient=member).exists()


def test_a_store_that_lost_everything_is_one_message(store):
    admin = make_user(is_admin=True)
    for file in [make_old_file() for _ in range(3)]:
        damage(store, file, b"")

    assert step().findings == 3
    assert Notification.objects.filter(recipient=admin).count() == 1


@pytest.mark.parametrize("data", [b"what the instrument wrotE\n", b"", DATA + DATA])
def test_damage_is_healed_from_the_replica_and_kept_aside(store, replica, data):
    file = make_old_file()
    copy_to(replica, file)
    damage(store, file, data)

    result = step()

    assert (result.findings, result.healed) == (1, 1)
    assert read_stored(store, file) == DATA
    assert store.head(file.storage_key).size_bytes == len(DATA)
    assert kept_aside(store) == [data]
    assert [stored.key for stored in store.list()] == [file.storage_key]
    finding = IntegrityFinding.objects.get()
    assert (finding.healed_from, finding.healed_at is None) == ("replica", False)


def test_a_damaged_description_is_healed_too(store, replica):
    file = make_old_file()
    copy_to(replica, file)
    damage(store, file)
    (store.layout.object_directory(file.storage_key) / "about.json").write_text("{")

    assert step().healed == 1
    assert store.head(file.storage_key).crc32 == file.crc32


def test_missing_bytes_are_found_and_healed(store, replica):
    lost, kept = make_old_file(), make_old_file()
    copy_to(replica, kept)
    for file in (lost, kept):
        store.delete(file.storage_key)

    result = step()

    assert (result.findings, result.healed) == (2, 1)
    assert read_stored(store, kept) == DATA
    assert list_open_findings().get().file == lost
    assert list_open_findings().get().not_healed_because == "The replica has no copy."


def test_a_replica_that_is_wrong_itself_heals_nothing(store, replica):
    file = make_old_file()
    copy_to(replica, file, b"WHAT the instrument wrote\n")
    damage(store, file)

    assert step().healed == 0
    assert read_stored(store, file) != DATA
    assert list_open_findings().get().not_healed_because == "The replica's copy is not right either."


def test_bytes_that_change_between_the_readings_of_a_replica_replace_nothing(store, replica, monkeypatch):
    file = make_old_file()
    copy_to(replica, file)
    damage(store, file, b"damaged")
    real, readings = replica.open_range, []

    def open_range(key, **bounds):
        readings.append(key)
        if len(readings) == 2:
            damage(replica, file, b"WHAT the instrument wrote\n")
        return real(key, **bounds)

    monkeypatch.setattr(replica, "open_range", open_range)

    assert step().healed == 0
    assert read_stored(store, file) == b"damaged"


def test_what_was_not_healed_is_tried_again_after_a_day(store, replica):
    file = make_old_file()
    damage(store, file)
    step()
    copy_to(replica, file)

    assert step().files == 0
    assert scrub_due_files(clock=lambda: now() + timedelta(hours=25)).healed == 1


def test_bytes_that_somebody_put_back_end_the_finding(store):
    file = make_old_file()
    damage(store, file)
    step()
    damage(store, file, DATA)

    scrub.scrub_file(file.pk, clock=now)

    assert IntegrityFinding.objects.get().healed_from == "elsewhere"


def test_a_file_that_goes_while_it_is_read_is_no_finding(store):
    file = make_old_file(category="processed")
    damage(store, file)

    name, found = scrub.inspect_file(
        file.pk, store=store, progress=lambda size: File.objects.filter(pk=file.pk).delete()
    )

    assert (name, found) == (None, None)


PURGED = {"purged_at": now(), "purged_by_rule": "expire_raw_after_days"}


def test_purged_bytes_are_not_missed_nor_brought_back_from_the_replica(store, replica):
    file = make_old_file(**PURGED)
    copy_to(replica, file)
    store.delete(file.storage_key)

    done = step()

    assert (done.files, done.findings, done.healed) == (1, 0, 0)
    assert store.head(file.storage_key) is None
    assert not IntegrityFinding.objects.exists()


def test_what_is_purged_while_it_is_healed_does_not_come_back(store, replica, monkeypatch):
    """Decided, removed, and written by the healing after that: nothing would name the object."""
    file, freed = make_old_file(), []
    copy_to(replica, file)
    damage(store, file)
    real = store.mend

    def purge_then_mend(*args, **named):
        with transaction.atomic():
            File.objects.filter(pk=file.pk).update(**PURGED)
            decide_removals({file.storage_key: file.size_bytes})
        freed.append(remove_decided(seconds=60))
        return real(*args, **named)

    monkeypatch.setattr(store, "mend", purge_then_mend)

    assert step().healed == 0
    remove_decided(seconds=60)

    assert freed == [file.size_bytes]
    assert store.head(file.storage_key) is None
    assert not ObjectRemoval.objects.exists()
    assert not list_open_findings().exists()


def test_what_another_file_names_stays_when_one_of_them_is_purged_while_it_is_healed(store, replica, monkeypatch):
    file = make_old_file()
    File.objects.filter(pk=file.pk).update(storage_key=(key := build_shared_key("0" * 32)))
    file.refresh_from_db()
    make_old_file(storage_key=key)
    replica.put(key, io.BytesIO(DATA), size_bytes=len(DATA), content_type="text/plain")
    store.put(key, io.BytesIO(DATA[::-1]), size_bytes=len(DATA), content_type="text/plain")
    real = store.mend

    def purge_then_mend(*args, **named):
        File.objects.filter(pk=file.pk).update(**PURGED)
        return real(*args, **named)

    monkeypatch.setattr(store, "mend", purge_then_mend)

    scrub.scrub_file(file.pk, clock=now)
    remove_decided(seconds=60)

    assert read_stored(store, File.objects.get(storage_key=key, purged_at=None)) == DATA


def test_a_finding_ends_when_its_bytes_are_purged(store, as_admin):
    file = make_old_file()
    damage(store, file)
    step()
    File.objects.filter(pk=file.pk).update(**PURGED)

    assert not list_open_findings().exists()
    assert set(read_integrity(at=now()).open.values()) == {0}
    page = as_admin().client.get("/settings/integrity").content.decode()
    assert f'purged <time datetime="{PURGED["purged_at"].astimezone():%Y-%m-%d}' in page
    assert scrub_due_files(clock=lambda: now() + timedelta(days=2)).files == 0


def test_a_file_that_is_replaced_while_it_is_read_is_no_finding(store):
    file, other = make_old_file(), make_old_file(b"newer")

    def replace_it(size):
        File.objects.filter(pk=file.pk).update(
            storage_key=other.storage_key, crc32=other.crc32, sha256=other.sha256, size_bytes=other.size_bytes
        )

    damage(store, file)

    assert scrub.inspect_file(file.pk, store=store, progress=replace_it) == (None, None)


def test_a_step_that_died_is_followed_by_another(store, monkeypatch):
    file = make_old_file()
    damage(store, file)
    monkeypatch.setattr(scrub, "scrub_file", lambda *a, **b: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        step()
    monkeypatch.undo()

    assert step().files == 0  # the lease of the one that died
    assert scrub_due_files(clock=lambda: now() + timedelta(minutes=5)).findings == 1


def test_a_file_that_kills_whoever_reads_it_is_given_up():
    make_old_file()
    scrub.enrol_files()
    FileScrub.objects.update(attempts=scrub.MAX_ATTEMPTS)

    assert step().files == 1
    assert step().files == 0


def test_oldest_first_and_no_more_than_a_step_has_time_for():
    files = [make_old_file(uploaded_at=now() - LONG_AGO * age) for age in (1, 3, 2)]
    clock = iter(range(0, 1_000, 10))

    step(seconds=25, monotonic=lambda: next(clock))

    left = FileScrub.objects.filter(scrubbed_at__lt=now() - LONG_AGO + timedelta(days=1))
    assert files[1].pk not in left.values_list("pk", flat=True)
    assert files[0].pk in left.values_list("pk", flat=True)


def test_reading_keeps_to_its_pace():
    slept, clock = [], [100.0]
    pace = Pace(mb_per_second=2, clock=lambda: clock[0], sleep=slept.append)

    pace(1_000_000)
    clock[0] += 3
    pace(1_000_000)
    pace(6_000_000)

    assert slept == [0.5, 1.0]


def test_no_days_are_no_reading(settings):
    settings.SCRUB_WITHIN_DAYS = 0
    make_old_file()

    assert step().files == 0
    assert not read_integrity(at=now()).is_on


def test_what_is_not_stored_is_no_finding():
    make_file()
    scrub.enrol_files()
    FileScrub.objects.update(scrubbed_at=now() - LONG_AGO)

    assert step().findings == 0


@pytest.mark.parametrize(
    ("constraint", "fields"),
    [
        ("finding_kind_is_known", {"kind": "odd"}),
        ("finding_is_seen_again_later", {"last_seen_at": now() - LONG_AGO}),
        ("healed_finding_says_from_where", {"healed_from": "replica"}),
        ("one_open_finding_per_file", {}),
    ],
)
def test_constraints(constraint, fields):
    at, file = now(), make_file()
    given = {"file": file, "kind": "missing", "first_seen_at": at, "last_seen_at": at}
    if not fields:
        IntegrityFinding.objects.create(**given)

    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        IntegrityFinding.objects.create(**given | fields)


def test_the_command_reads_everything_and_says_what_is_wrong(store, replica, capsys):
    healed, lost = make_stored_file(data=DATA), make_stored_file(data=DATA)
    copy_to(replica, healed)
    for file in (healed, lost):
        damage(store, file)

    with pytest.raises(CommandError) as failure:
        call_command("scrub", "--all")

    assert failure.value.returncode == 3
    assert "2 files read, 1 healed, 1 missing or damaged" in capsys.readouterr().out


def test_the_page_shows_what_was_found(client, store):
    file = make_old_file()
    damage(store, file)
    step()
    client.force_login(make_user(is_admin=True))

    shown = client.get("/settings/integrity").content.decode()

    assert file.relative_path in shown
    assert "No replica is configured." in shown
    client.force_login(make_user())
    assert client.get("/settings/integrity").status_code == 403
