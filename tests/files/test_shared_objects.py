"""With DEDUPLICATE, files of the same bytes share one object, and nobody learns of files that they may not read."""

import io
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from files.models import File, SharableObject
from files.shared.keys import build_shared_key
from files.shared.objects import SoughtBytes
from files.storage.orphans import sweep_orphans
from files.stored.inventory import find_files_of_shared, list_referenced_files
from files.tasks import share_object
from tests.factories import make_file, make_instrument, make_run
from tests.files.sending import announced, ask, path_of, put, say_uploaded, upload
from wire.clock import now

pytestmark = pytest.mark.django_db

DATA = b"what the instrument wrote\n" * 10
TOMORROW = timedelta(hours=25)
READS = ("runs:read", "runs:upload", "files:read", "files:update")


@pytest.fixture(autouse=True)
def deduplicate(settings):
    settings.DEDUPLICATE = True


def share_all() -> None:
    while SharableObject.objects.filter(verified_at=None).exists():
        share_object()


def keys_of(*ids: int) -> set[str | None]:
    return set(File.objects.filter(pk__in=ids).values_list("storage_key", flat=True))


def stored_bytes(store) -> int:
    return sum(stored.size_bytes for stored in store.list("runs/"))


def test_a_file_whose_bytes_are_stored_in_another_run_is_uploaded_at_once(as_token, store):
    api = as_token()
    first = upload(api, make_run(), DATA)
    share_all()

    ticket = ask(api, make_run(), DATA, "again.raw")

    assert (ticket["already_uploaded"], ticket["upload_url"]) == (True, None)
    again = File.objects.get(pk=ticket["file_id"])
    assert again.status == "uploaded"
    assert again.uploaded_at is not None
    assert again.run.files.count() == 1
    assert keys_of(first, again.pk) == {ticket["storage_key"]}
    assert stored_bytes(store) == len(DATA)


@pytest.mark.slow
def test_a_thousand_files_that_are_sent_again_cost_no_byte(as_token, local_service):
    api, run, other = as_token(), make_run(), make_run()
    upload(api, run, DATA)
    share_all()
    before = stored_bytes(local_service)

    for batch in range(5):
        files = [announced(DATA, f"{batch}/{number}.raw") for number in range(200)]
        answers = api.post(f"{path_of(other)}/files:batch", {"files": files}).json()["results"]
        assert all(answer["body"]["already_uploaded"] for answer in answers)

    assert stored_bytes(local_service) == before
    assert len(list(local_service.list("runs/"))) == 1
    other.refresh_from_db()
    assert other.total_size_bytes == 1_000 * len(DATA)


def test_bytes_that_were_sent_twice_are_kept_once(as_token, store):
    api = as_token()
    ids = [upload(api, make_run(), DATA) for _ in range(2)]

    share_all()

    assert len(keys_of(*ids)) == 1
    assert sweep_orphans(at=now() + TOMORROW).objects == 1
    assert stored_bytes(store) == len(DATA)
    assert store.head(keys_of(*ids).pop()) is not None


@pytest.mark.parametrize("left_out", ["sha256", "crc32"])
def test_both_checksums_are_needed(as_token, local_service, left_out):
    api = as_token()
    upload(api, make_run(), DATA)
    share_all()

    assert not ask(api, make_run(), DATA, **{left_out: None})["already_uploaded"]


def test_a_checksum_that_differs_is_another_file(as_token, local_service):
    api = as_token()
    upload(api, make_run(), DATA)
    share_all()

    assert not ask(api, make_run(), DATA, crc32="00000000")["already_uploaded"]


def test_bytes_of_a_run_that_may_not_be_read_are_as_bytes_that_nobody_has(as_token, store):
    upload(as_token(), make_run(), DATA)
    share_all()
    mine = make_instrument()
    api = as_token(*READS, instrument_ids=[mine.id])
    run = make_run(instrument=mine)

    hidden, unknown = ask(api, run, DATA, "a.raw"), ask(api, run, DATA[::-1], "b.raw")

    assert hidden["already_uploaded"] is unknown["already_uploaded"] is False
    assert put(hidden, DATA).ok
    assert say_uploaded(api, hidden["file_id"]).json()["storage_key"] == hidden["storage_key"]
    share_all()
    assert keys_of(hidden["file_id"]) == {hidden["storage_key"]}


def test_whoever_may_not_read_files_is_told_nothing(as_token, local_service):
    run = make_run()
    upload(as_token(), make_run(), DATA)
    share_all()
    api = as_token("runs:upload", "files:update")

    ticket = ask(api, run, DATA)
    assert put(ticket, DATA).ok
    say_uploaded(api, ticket["file_id"])
    share_all()

    assert ticket["already_uploaded"] is False
    assert keys_of(ticket["file_id"]) == {ticket["storage_key"]}


def test_a_key_tells_nothing_of_the_file_it_was_made_for(as_token, local_service):
    run = make_run()

    ticket = ask(as_token(), run, DATA, "secret name.raw")

    assert ticket["storage_key"].startswith("runs/shared/")
    assert "secret" not in ticket["storage_key"]
    assert str(run.pk) not in ticket["storage_key"]


def test_bytes_that_are_not_what_was_said_are_never_shared(as_token, local_service):
    """A sender could announce the SHA-256 of a file to come, to have other bytes in its place."""
    api = as_token()
    upload(api, make_run(), DATA[::-1], sha256=announced(DATA)["sha256"], crc32=announced(DATA[::-1])["crc32"])
    share_all()

    assert not SharableObject.objects.exists()
    ask_again = announced(DATA) | {"crc32": announced(DATA[::-1])["crc32"]}
    assert not api.post(f"{path_of(make_run())}/request-upload-url", ask_again).json()["already_uploaded"]


def test_an_object_that_is_not_in_the_store_is_not_shared(as_token, store):
    api = as_token()
    first = upload(api, make_run(), DATA)
    share_all()
    store.delete(keys_of(first).pop())

    assert not ask(api, make_run(), DATA)["already_uploaded"]
    second = upload(api, make_run(), DATA)
    share_all()
    assert store.head(keys_of(second).pop()) is not None
    assert ask(api, make_run(), DATA)["already_uploaded"]


def test_an_object_stays_while_one_file_names_it(as_token, store):
    api = as_token()
    first = upload(api, make_run(), DATA)
    share_all()
    second = ask(api, make_run(), DATA)
    key = second["storage_key"]

    File.objects.filter(pk=first).delete()
    assert sweep_orphans(at=now() + TOMORROW).objects == 0
    assert store.head(key) is not None

    File.objects.filter(pk=second["file_id"]).delete()
    assert sweep_orphans(at=now() + TOMORROW).objects == 1
    assert store.head(key) is None
    assert not SharableObject.objects.exists()


def test_an_unverified_twin_shares_nothing_yet(as_token, local_service):
    api = as_token()
    upload(api, make_run(), DATA)

    assert not ask(api, make_run(), DATA)["already_uploaded"]


def test_without_the_setting_nothing_is_shared(as_token, local_service, settings):
    api = as_token()
    upload(api, make_run(), DATA)
    share_all()
    settings.DEDUPLICATE = False

    ticket = ask(api, make_run(), DATA)

    assert ticket["already_uploaded"] is False
    assert not ticket["storage_key"].startswith("runs/shared/")


def test_the_files_of_a_shared_key_are_found_by_its_index():
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")

    plan = find_files_of_shared(["runs/shared/ab/" + "ab" * 16]).explain()

    assert "files_by_shared_key" in plan


@pytest.fixture
def many_shared():
    """Files of objects that are shared, and the statistics of them: of an empty table any index is as good."""
    run = make_run()
    for number in range(200):
        file = make_file(run=run, status="uploaded", crc32="0" * 8, storage_key=build_shared_key(f"{number:032x}"))
        SharableObject.objects.create(
            file=file, storage_key=file.storage_key, sha256=f"{number:064x}", size_bytes=1, verified_at=now()
        )
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("REINDEX TABLE files_file")  # what earlier tests rolled back weighs on some indexes only
        cursor.execute("ANALYZE files_file, files_sharableobject")
        cursor.execute("SET LOCAL enable_seqscan = off")


@pytest.mark.usefixtures("many_shared")
def test_a_query_for_a_twin_reads_no_table_in_full():
    with CaptureQueriesContext(connection) as asked:
        SoughtBytes("a" * 64, 1, None, crc32="0" * 8).find()

    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {asked.captured_queries[0]['sql']}")
        plan = str(cursor.fetchall())

    assert len(asked) == 1
    assert "files_by_shared_key" in plan


def test_a_shared_key_that_no_file_names_is_an_orphan(local_service):
    key = "runs/shared/ab/" + "ab" * 16
    local_service.put(key, io.BytesIO(DATA), size_bytes=len(DATA), content_type="text/plain")

    assert sweep_orphans(at=now() + TOMORROW).objects == 1


def test_every_file_of_an_object_is_listed_with_its_key(as_token, local_service):
    api = as_token()
    first = upload(api, make_run(), DATA)
    share_all()
    second = ask(api, make_run(), DATA)

    named = [(one.key, one.owner) for one in list_referenced_files()]

    assert sorted(named) == sorted((second["storage_key"], f"file {pk}") for pk in (first, second["file_id"]))
