"""What must hold once all has come to rest."""

import hashlib
import io
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from accounts.trail.rows import find_trail_model
from accounts.trail.verification import find_extent, verify_rows
from archives.models import ArchiveJob
from changes.models import Change
from changes.webhooks.models import WebhookDelivery
from files.models import File, IntegrityFinding, ObjectRemoval, SharableObject
from files.signing.signing import list_signatures
from files.storage import cold_store, object_store, whole_store
from files.storage.interface import ObjectMissing
from files.stored.recount import find_drifted_instruments, find_drifted_runs
from files.stored.sizes import find_drift, list_ranges
from instruments.groups.models import GroupInstrument
from instruments.models import Instrument
from operations.reconciliation.comparison import Reconciliation
from processing.models import ProcessingJob
from runs.holds.models import Hold
from runs.models import Run
from tests.clients import Api
from tests.model.damage import list_changed_copies
from tests.model.world import RUNS, Laboratory
from wire.clock import now


def list_faults(lab: Laboratory, roots: list[Path]) -> Iterator[str]:
    yield from list_lost_bytes(lab)
    yield from list_changed_copies(lab)
    yield from list_left_bytes(roots)
    yield from list_wrong_numbers()
    yield from list_wrong_words(lab)
    yield from list_wrong_archives()
    yield from list_log_faults(lab)
    yield from (f"the trail: {fault}" for fault in verify_rows(find_extent()))
    yield from (f"reconcile: {one}" for batch in _reconcile() for one in batch)
    yield from (f"a finding is open: {one}" for one in IntegrityFinding.objects.filter(healed_at__isnull=True).values())
    yield from (
        f"still to be read: {one}" for one in ProcessingJob.objects.unfinished().values("pk", "state", "detail")
    )
    yield from (f"still being built: {one}" for one in ArchiveJob.objects.filter(status="building").values())
    yield from (f"still to be shared: {one}" for one in SharableObject.objects.filter(verified_at=None).values())


def list_leaks(lab: Laboratory) -> Iterator[str]:
    """After every scene: each person sees the instrument's runs and files where a group or its visibility says so."""
    instrument = Instrument.objects.get(pk=lab.ours.pk)
    file = File.objects.filter(run__instrument=lab.ours).order_by("pk").last()
    paths = [lab.path("r1").rpartition("/")[0], *([f"/api/v1/files/{file.pk}"] if file else [])]
    for person in (lab.member, lab.stranger):
        groups = GroupInstrument.objects.filter(instrument=instrument, group__memberships__person=person)
        expected = 200 if instrument.visibility == "everyone" or groups.exists() else 404
        answers = {path: Api(user=person).get(path).status_code for path in paths}
        yield from (f"{path} answers {found}, not {expected}" for path, found in answers.items() if found != expected)


def list_lost_bytes(lab: Laboratory) -> Iterator[str]:
    for file_id, sha256 in lab.stored.items():
        file = File.objects.filter(pk=file_id).first()
        if file is None or file.uploaded_at is None or file.sha256 != sha256:
            yield f"file {file_id} was said to be stored: {file and (file.status, file.sha256)}"
    for file in File.objects.stored():
        store = cold_store() if file.storage_class == "cold" else object_store()
        assert store is not None
        try:
            with store.open_range(file.storage_key or "") as source:
                found = hashlib.sha256(source.read()).hexdigest()
        except ObjectMissing:
            yield f"the bytes of file {file.pk}, {file.storage_key} ({file.storage_class}), are gone"
        else:
            if file.sha256 not in (None, found):
                yield f"{file.storage_key} has other bytes"
    yield from list_purged_holds(lab)


def list_purged_holds(lab: Laboratory) -> Iterator[str]:
    for run_id, (purged, held) in lab.purged_when_held.items():
        others = lab.notes.writes["held", run_id]
        is_released = any(not one.value and one.kept is not False and one.ended > held.began for one in others)
        count = File.objects.filter(run=lab.find_run(run_id), purged_at__isnull=False).count()
        if count != purged and not is_released:
            yield f"{count - purged} files of {run_id} were purged though it is on hold"


def list_left_bytes(roots: list[Path]) -> Iterator[str]:
    kept = File.objects.filter(purged_at__isnull=True, storage_key__isnull=False)
    named = {*kept.values_list("storage_key", flat=True), *(job.storage_key for job in ArchiveJob.objects.all())}
    yield from (f"{one.key} is nobody's" for one in whole_store().list() if one.key not in named)
    yield from (f"{one.storage_key} is still to be removed" for one in ObjectRemoval.objects.all())
    shared = set(SharableObject.objects.values_list("storage_key", flat=True))
    yield from (f"{key} is sharable and nobody's" for key in shared - named)
    staged = [path for root in roots for place in (".staging", ".uploads") for path in (root / place).glob("*")]
    yield from (f"{path} is left" for path in staged)


def list_wrong_numbers() -> Iterator[str]:
    yield from (f"counters: {one}" for found in find_drifted_runs() for one in found)
    yield from (f"counters: {one}" for one in find_drifted_instruments())
    yield from (f"sizes: {one}" for number in list_ranges() for one in find_drift(number))


def list_wrong_words(lab: Laboratory) -> Iterator[str]:
    """Registers that hold what nobody can have written last."""
    for name in RUNS:
        run = lab.find_run(name)
        if run is None:
            continue
        stand = {
            "deleted": run.deleted_at is not None,
            "held": Hold.objects.filter(run=run).exists(),
            "project": run.project_id,
            "count": run.caller_metadata.get("count", 0),
            "claimed": run.claims.exists(),
        }
        for what, found in stand.items():
            possible = lab.notes.possible((what, name))
            if found not in possible:
                yield f"{what} of {name} is {found}, not one of {possible}: {lab.notes.writes[what, name]}"
        yield from (f"a signature of {name} is not intact" for one in list_signatures(run) if not one.is_intact)
        yield from _list_lost_counts(lab, name)


def _list_lost_counts(lab: Laboratory, name: str) -> Iterator[str]:
    kept = Counter(write.value for write in lab.notes.writes["count", name] if write.kept)
    yield from (
        f"{times} were told that count {value} of {name} is theirs" for value, times in kept.items() if times > 1
    )


def list_wrong_archives() -> Iterator[str]:
    for job in ArchiveJob.objects.filter(status="ready"):
        known = set(File.objects.filter(run=job.run).values_list("sha256", flat=True))
        try:
            with object_store().open_range(job.storage_key) as source:
                packed = zipfile.ZipFile(io.BytesIO(source.read()))
        except ObjectMissing:
            yield f"archive {job.pk} is ready and gone"
            continue
        for name in packed.namelist():
            if name != "manifest.json" and hashlib.sha256(packed.read(name)).hexdigest() not in known:
                yield f"archive {job.pk} has wrong bytes as {name}"


def list_log_faults(lab: Laboratory) -> Iterator[str]:
    """Each thing once, and all of it seen by who follows."""
    log = list(Change.objects.order_by("position").values_list("position", "type"))
    read = [one for one in log if one[0] <= (lab.position or 0)]
    if lab.followed != read:
        yield f"a follower read {set(lab.followed) ^ set(read)} otherwise"
    uploaded = File.objects.filter(uploaded_at__isnull=False, category="raw")
    yield from _compare("file.uploaded", Counter(uploaded.values_list("pk", flat=True)))
    purged = File.objects.filter(purged_at__isnull=False)
    yield from _compare("file.purged", Counter(purged.values_list("pk", flat=True)))
    told = Counter(Change.objects.filter(type="run.created").values_list("instrument_id", "run_id"))
    runs = Counter(Run.objects.values_list("instrument_id", "run_id"))
    if told != runs:
        yield f"runs that were created: {told} in the log, {runs} in truth"
    changes = {position for position, _ in log}
    delivered = Counter(WebhookDelivery.objects.values_list("position", flat=True))
    if delivered != Counter(changes):
        yield f"deliveries: {set(delivered) ^ changes} {[one for one, times in delivered.items() if times > 1]}"
    trail = find_trail_model(File)
    for file in purged:
        if trail.objects.filter(pgh_obj_id=file.pk, changes__has_key="purged_at").count() != 1:
            yield f"the purge of file {file.pk} is not once in the trail"


def _compare(kind: str, truth: Any) -> Iterator[str]:
    told = Counter(Change.objects.filter(type=kind).values_list("file_id", flat=True))
    if told != truth:
        yield f"{kind}: {dict(told - truth)} too often, {dict(truth - told)} too seldom in the log"


def _reconcile() -> Iterator[Any]:
    return iter(Reconciliation(whole_store(), read=True, at=now()).differences())
