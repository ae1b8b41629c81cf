"""What a regulated lab keeps for years leaves and comes back equal: signatures, holds, what was purged, cold bytes."""

from io import BytesIO, StringIO

import pytest
from django.core.management import call_command

from files.models import File
from files.shared.keys import build_shared_key
from files.signing.content import digest_of_run
from files.signing.signing import list_signatures
from files.storage import cold_store, whole_store
from operations.leaving import importing
from operations.leaving.exporting import export_everything
from operations.leaving.importing import import_everything
from runs.models import Comment, Run
from runs.signatures.models import Signature
from tests.factories import (
    make_comment,
    make_group,
    make_hold,
    make_instrument,
    make_project,
    make_run,
    make_signature,
    make_stored_file,
    make_user,
)
from tests.operations.leaving.test_importing import empty
from tests.retention.cold import use_cold
from wire.clock import now

pytestmark = pytest.mark.django_db(transaction=True)
DATA = b"well,od600\nA1,0.42\n"
PURGED = {"purged_at": now(), "purged_by_rule": "expire_raw_after_days"}


@pytest.fixture
def runs(store, settings, tmp_path):
    """By what is special of them; of two groups, which share bytes that are stored once."""
    use_cold(settings, tmp_path / "cold")
    ines, key = make_user(), build_shared_key("a" * 32)
    readers = [make_instrument(id=name, visibility="groups") for name in ("ours", "theirs")]
    for reader in readers:
        make_group(ines, instruments=[reader])
    made = {name: make_run(instrument=readers[0], run_id=name) for name in ("signed", "purged", "cold", "shared")}
    made["other"] = make_run(instrument=readers[1], run_id="other", project=make_project(name="A study"))
    make_hold(project=made["other"].project, reason="An order")
    store.put(key, BytesIO(DATA), size_bytes=len(DATA), content_type="text/csv")
    for name in ("shared", "other"):
        make_stored_file("same.csv", DATA, run=made[name], storage_key=key)
    make_stored_file("signed.csv", DATA, run=made["signed"], caller_metadata={"lot": "7"})
    picture = {"kind": "comment_picture", "width": 1, "height": 1}
    drawn = make_stored_file("p.png", b"png", run=made["signed"], category="processed", extracted=picture)
    make_stored_file("q.png", b"gone", run=made["signed"], category="processed", extracted=picture, deleted_at=now())
    make_comment(run=made["signed"], user=ines, body=f"![plate](/files/{drawn.pk})")
    make_stored_file("purged.csv", DATA, run=made["purged"], **PURGED)
    lost = File.objects.get(filename="purged.csv")
    store.delete(lost.storage_key)
    Run.objects.filter(pk=made["purged"].pk).update(deleted_at=now(), deleted_by=ines, purged_at=now())
    _make_cold(make_stored_file("cold.csv", DATA * 2, run=made["cold"]), store)
    _sign(made["signed"], ines)
    yield made
    cold_store.cache_clear()


def _make_cold(file, store):
    cold_store().put(file.storage_key, BytesIO(DATA * 2), size_bytes=len(DATA) * 2, content_type="text/csv")
    store.delete(file.storage_key)
    File.objects.filter(pk=file.pk).update(storage_class="cold")


def _sign(run, person):
    make_signature(run=run, digest=digest_of_run(run), signer=person, proven_by="passkey")
    revoked = {"revoked_at": now(), "revoked_by": person, "revocation_reason": "The wrong plate"}
    make_signature(run=run, digest="0" * 64, meaning="approved", **revoked)


def test_it_comes_back_equal_also_when_it_was_cut_off(runs, store, folder, monkeypatch):
    export_everything(folder, whole_store(), at=now())
    empty(store)
    for one in list(cold_store().list()):
        cold_store().delete(one.key)
    real = importing._import_bytes_of

    def import_and_die(row, *rest, **named):
        real(row, *rest, **named)
        raise KeyboardInterrupt

    monkeypatch.setattr(importing, "_import_bytes_of", import_and_die)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            import_everything(folder, store, at=now())
    monkeypatch.undo()
    told = StringIO()
    call_command("import_everything", str(folder), stdout=told, stderr=told)

    assert "0 differences" in told.getvalue()
    signed = Run.objects.get(pk=runs["signed"].pk)
    assert [(one.is_intact, one.signature.proven_by) for one in list_signatures(signed)] == [
        (True, "passkey"),
        (False, None),
    ]
    assert Signature.objects.get(meaning="approved").revocation_reason == "The wrong plate"
    assert Run.objects.get(pk=runs["other"].pk).project.hold.reason == "An order"
    gone = Run.objects.get(pk=runs["purged"].pk, deleted_at__isnull=False, purged_at__isnull=False)
    assert gone.files.get().purged_by_rule == "expire_raw_after_days"
    assert {file.filename: read(store, file) for file in File.objects.stored()} == {
        "signed.csv": DATA,
        "same.csv": DATA,
        "cold.csv": DATA * 2,
        "p.png": b"png",
        "q.png": b"gone",
    }
    assert Comment.objects.get().body == f"![plate](/files/{File.objects.get(filename='p.png').pk})"


def read(store, file):
    with store.open_range(file.storage_key) as source:
        return source.read()
