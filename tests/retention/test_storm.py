"""Whoever touches stored bytes, at once and in any order: what is left is whole, and tells what was done.

`STORM_ROUNDS=300 STORM_SEED=7 pytest -m slow tests/retention/test_storm.py` goes on for longer. A round that fails is
named by its seed and its acts.
"""

import hashlib
import io
import os
import time
import traceback
import zipfile
from collections.abc import Iterator
from datetime import timedelta
from random import Random
from typing import Any

import pytest

from accounts.trail.rows import find_trail_model
from archives.models import ArchiveJob
from changes.models import Change
from files.integrity.scrub import enrol_files, scrub_due_files
from files.models import File, FileScrub, IntegrityFinding, ObjectRemoval
from files.removing.removals import remove_decided
from files.signing.signing import list_signatures
from files.storage import cold_store, object_store, replica_store, whole_store
from files.storage.interface import ObjectMissing
from files.storage.local import LocalStore
from files.storage.object_server import ObjectServer
from files.storage.orphans import sweep_orphans
from files.stored.recount import find_drifted_runs
from instruments.models import Instrument
from runs.models import Run
from tests.live_server import address_of, empty_app, listening, serving
from tests.races import at_once
from tests.retention.cold import use_cold
from tests.retention.lab import RULES
from tests.retention.storm import ACTS, BEGIN, World, purge
from web.server.dispatch import Dispatcher
from wire.clock import now

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
SEED, ROUNDS = int(os.environ.get("STORM_SEED", "1")), int(os.environ.get("STORM_ROUNDS", "8"))
MOST_SECONDS_APART = 0.15
FileTrail = find_trail_model(File)


@pytest.fixture(autouse=True)
def stores(local_store: Any, tmp_path: Any, settings: Any) -> Iterator[None]:
    """Hot, cold and a replica; what the hot one signs is answered."""
    settings.DEDUPLICATE = True
    use_cold(settings, tmp_path / "cold")
    second = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path / "second"}}
    settings.STORAGES = settings.STORAGES | {"replica": second}
    replica_store.cache_clear()
    with listening() as sock:
        settings.PUBLIC_URL = address_of(sock)
        object_store.cache_clear()
        store = object_store()
        assert isinstance(store, LocalStore)
        with serving(Dispatcher(django=empty_app, lifespan=empty_app, objects=ObjectServer(store)), sock):
            yield
    cold_store.cache_clear()
    replica_store.cache_clear()


def test_whatever_comes_at_once_no_byte_is_lost_or_left_and_nothing_is_hidden(monkeypatch):
    for number in range(ROUNDS):
        chance = Random(SEED * 100_000 + number)
        world = World(chance)
        acts = [chance.choice(BEGIN), *(chance.choice(ACTS) for _ in range(chance.randint(2, 5)))]

        broken = rage(world, acts, chance)

        broken += settle(world, monkeypatch) + list(list_faults(world))
        assert not broken, f"seed {SEED}, round {number}: {[act.__name__ for act in acts]}\n" + "\n".join(broken)
        rest(world)


def rage(world: World, acts: list[Any], chance: Random) -> list[str]:
    """All acts, each begun a little later or earlier; what broke of them."""
    begins = [(chance.random() * MOST_SECONDS_APART, Random(chance.random())) for _ in acts]

    def act(number: int) -> str:
        wait, own = begins[number]
        time.sleep(wait)
        try:
            acts[number](world, own)
        except Exception:
            return f"{acts[number].__name__}: {traceback.format_exc()}"
        return ""

    return [told for told in at_once(len(acts), act) if told]


def settle(world: World, monkeypatch: Any) -> list[str]:
    """What goes on afterwards by itself: a purge, two scrubs, late removals, a sweep. What of it went too far."""
    before = list(list_purged_holds(world))
    purge(world, Random())
    enrol_files()
    long_ago = {"scrubbed_at": now() - timedelta(days=200), "attempts": 0, "lease_id": None, "lease_until": None}
    FileScrub.objects.filter(file__run__in=world.all_runs).update(**long_ago)
    for _ in range(2):
        scrub_due_files(clock=now, read_before=now() - timedelta(days=100), sleep=lambda seconds: None)
    with monkeypatch.context() as patched:
        patched.setattr("files.removing.removals.now", lambda: now() + timedelta(hours=1))
        remove_decided(seconds=60)
    sweep_orphans(at=now() + timedelta(days=2))
    return before + list(list_purged_holds(world))


def list_purged_holds(world: World) -> Iterator[str]:
    for run_id, purged in world.purged_when_held.items():
        if File.objects.filter(run=run_id, purged_at__isnull=False).count() != purged:
            yield f"files of run {run_id} were purged though it is on hold"


def list_faults(world: World) -> Iterator[str]:
    yield from list_lost_bytes(world)
    yield from list_left_bytes()
    yield from list_untold_purges(world)
    yield from (f"counters drifted: {one}" for one in find_drifted_runs() if one)
    for run in Run.objects.filter(pk__in=[one.pk for one in world.all_runs]):
        yield from (f"a signature of {run.run_id} is not intact" for one in list_signatures(run) if not one.is_intact)
    yield from list_wrong_archives(world)
    open_findings = IntegrityFinding.objects.filter(healed_at__isnull=True, file__purged_at__isnull=True)
    yield from (f"a finding is open: {one}" for one in open_findings.values_list("file", "kind", "not_healed_because"))


def list_lost_bytes(world: World) -> Iterator[str]:
    for file in File.objects.stored().filter(run__in=world.all_runs):
        store = cold_store() if file.storage_class == "cold" else object_store()
        assert store is not None
        try:
            with store.open_range(file.storage_key or "") as source:
                found = hashlib.sha256(source.read()).hexdigest()
        except ObjectMissing:
            yield f"the bytes of {file.storage_key} ({file.storage_class}) are gone"
        else:
            if found != file.sha256:
                yield f"{file.storage_key} has other bytes"


def list_left_bytes() -> Iterator[str]:
    kept = File.objects.filter(purged_at__isnull=True, storage_key__isnull=False)
    named = {*kept.values_list("storage_key", flat=True), *(job.storage_key for job in ArchiveJob.objects.all())}
    yield from (f"{one.key} is nobody's" for one in whole_store().list() if one.key not in named)
    yield from (f"{one.storage_key} is still to be removed" for one in ObjectRemoval.objects.all())


def list_untold_purges(world: World) -> Iterator[str]:
    for file in File.objects.filter(run__in=world.all_runs, purged_at__isnull=False):
        in_trail = FileTrail.objects.filter(pgh_obj_id=file.pk, changes__has_key="purged_at").count()
        in_log = Change.objects.filter(type="file.purged", file_id=file.pk).count()
        if (in_trail, in_log) != (1, 1):
            yield f"the purge of file {file.pk} is {in_trail} times in the trail and {in_log} times in the log"


def list_wrong_archives(world: World) -> Iterator[str]:
    for job in ArchiveJob.objects.filter(run__in=world.all_runs, status="ready"):
        known = set(File.objects.filter(run=job.run).values_list("sha256", flat=True))
        with object_store().open_range(job.storage_key) as source:
            packed = zipfile.ZipFile(io.BytesIO(source.read()))
        for name in packed.namelist():
            if name != "manifest.json" and hashlib.sha256(packed.read(name)).hexdigest() not in known:
                yield f"the archive {job.pk} has wrong bytes as {name}"


def rest(world: World) -> None:
    """What a round leaves is not worked on in the next one."""
    Instrument.objects.update(**dict.fromkeys([*RULES, "cold_raw_after_days"]))
    FileScrub.objects.update(scrubbed_at=now() + timedelta(days=9), error_message="")
    IntegrityFinding.objects.all().delete()
