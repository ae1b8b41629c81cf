"""A small laboratory with something of everything that leaves, and hostile names among it."""

from datetime import timedelta
from uuid import uuid4

from files.models import File
from runs.models import Claim, Run
from runs.projects.models import Project
from tests.factories import (
    make_comment,
    make_event,
    make_file,
    make_group,
    make_hold,
    make_instrument,
    make_run,
    make_stored_file,
    make_token,
    make_user,
    make_watcher,
)
from wire.clock import now

DATA = b"well,od600\nA1,0.42\n"
HOSTILE = "..\u202egnp.exe"


def make_lab():
    """Two instruments, five runs, files in every state; answers with the run that has most of it."""
    ada, token = make_user("ada@lab.example", display_name="Ada \u201cλ\u201d Lovelace"), make_token(name="bench")
    reader = make_instrument(id="reader", display_name="Plättchen-Leser", visibility="groups")
    scope = make_instrument(id="scope", display_name="Scope")
    make_group(ada, instruments=[reader], name="Gruppe Ö")
    watcher = make_watcher(instrument=reader, token=token)
    make_event(watcher=watcher, event_id=uuid4(), details={"at": ["x", 1.5]})
    project = Project.objects.create(name="Thesis ∂", description="of everything")
    run = make_run(
        instrument=reader,
        run_id="plate 7 \u2028é:?*",
        watcher=watcher,
        caller_metadata={"buffer": "PBS", "n": 12345678901234567890},
        tags=["a", "ü"],
        project=project,
        acquired_at=now() - timedelta(days=400),
    )
    _make_files(run)
    Claim.objects.create(run=run, user=ada)
    make_comment(run=run, user=ada, body="**Sieht gut aus** 🧪")
    make_comment(run=run, token=token, body="gone", deleted_at=now())
    make_hold(run=run, placed_by=ada)
    make_run(instrument=scope, run_id="PLATE", deleted_at=now(), deleted_by=ada)
    make_stored_file("image.bin", b"", run=make_run(instrument=scope, run_id="plate"))
    make_run(instrument=scope, run_id="con")
    return run


def _make_files(run):
    raw = make_stored_file("a.csv", DATA, run=run, status="completed")
    make_stored_file("a.csv", b"again", run=run, relative_path="a.csv@2/a.csv", version=2, version_of=raw)
    make_stored_file("p.json", b"{}", run=run, category="processed", source_file=raw)
    make_stored_file("passwd", b"root", run=run, relative_path="../../etc/passwd")
    make_stored_file(HOSTILE, b"hostile", run=run, relative_path=f"C:\\x/{HOSTILE}", sha256=None, crc32=None)
    make_stored_file("busy.csv", b"busy", run=run, status="processing")
    make_stored_file("bad.csv", b"bad", run=run, status="failed", error_message="no header")
    make_file("waits.csv", run=run)
    make_file("asked.csv", run=run, status="upload_requested")
    make_file("dismissed.csv", run=run, deleted_at=now())


def set_long_ago(run):
    """As a run that nobody touched for a year."""
    Run.objects.filter(pk=run.pk).update(updated_at=now() - timedelta(days=365))


def stored_bytes(store):
    """The bytes of every file, by its id."""
    found = {}
    for file in File.objects.filter(uploaded_at__isnull=False):
        with store.open_range(file.storage_key) as source:
            found[file.pk] = source.read()
    return found
