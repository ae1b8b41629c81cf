"""What may happen to a few runs at once: a world for one round, and the acts of those who touch its bytes."""

import hashlib
import io
import os
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from random import Random
from typing import Any
from uuid import UUID

import requests

from archives.building import build_next
from files.cold.bringing_back import bring_back_next
from files.integrity.scrub import scrub_due_files
from files.models import File, SharableObject
from files.removing.lock import RemovalOnHold
from files.shared.keys import build_shared_key
from files.storage import object_store, replica_store, whole_store
from files.tasks import share_object
from operations.reconciliation.comparison import DifferenceKind, Reconciliation
from retention.cooling import cool_due
from retention.purging import purge_due
from runs.models import Run
from tests.clients import Api
from tests.factories import PASSWORD, make_group, make_instrument, make_project, make_token_with_text, make_user
from tests.files.sending import announced, path_of, put, say_uploaded
from tests.retention.lab import OLD, RULES, make_old_run, store_file
from wire.clock import now

MANY = 1_000
Act = Callable[["World", Random], None]


class World:
    """An instrument with old runs, some deleted, of two projects; bytes that two of them share; a replica of all."""

    def __init__(self, chance: Random) -> None:
        self.admin = make_user(is_admin=True)
        is_cold = chance.random() < 0.7
        self.instrument = make_instrument(**RULES | {"cold_raw_after_days": 30 if is_cold else None})
        if is_cold and chance.random() < 0.6:  # else what could become cold is purged first
            type(self.instrument).objects.filter(pk=self.instrument.pk).update(expire_raw_after_days=None)
        make_group(self.admin, instruments=[self.instrument])
        self.projects = [make_project(), make_project()]
        self.runs = [self._make_run(chance, is_deleted=number == 3) for number in range(4)]
        self.shared = os.urandom(40)
        self._share(chance)
        self.young = make_old_run(make_instrument())
        self.token, self.text = make_token_with_text()
        self.purged_when_held: dict[UUID, int] = {}

    @property
    def all_runs(self) -> list[Run]:
        return [*self.runs, self.young]

    def by_token(self) -> Api:
        return Api(token=self.token, text=self.text)

    def by_admin(self) -> Api:
        return Api(user=self.admin)

    def note_held(self, run_id: UUID) -> None:
        seen = File.objects.filter(run=run_id, purged_at__isnull=False).count()
        self.purged_when_held[run_id] = min(seen, self.purged_when_held.get(run_id, MANY))

    def _make_run(self, chance: Random, *, is_deleted: bool) -> Run:
        gone = {"deleted_at": now() - OLD, "deleted_by": self.admin} if is_deleted or chance.random() < 0.2 else {}
        run = make_old_run(self.instrument, project=chance.choice([None, *self.projects]), **gone)
        for name, category in (("a.raw", "raw"), ("b.raw", "raw"), ("made.json", "processed")):
            file = store_file(run, f"{name} of {run.run_id}".encode(), filename=name, category=category)
            with object_store().open_range(file.storage_key or "") as source:
                _keep_replica(file.storage_key or "", source.read())
        return run

    def _share(self, chance: Random) -> None:
        key, store, sums = build_shared_key(os.urandom(16).hex()), object_store(), announced(self.shared)
        store.put(key, io.BytesIO(self.shared), size_bytes=len(self.shared), content_type="text/plain")
        _keep_replica(key, self.shared)
        chosen = chance.sample(self.runs, chance.choice([1, 2]))
        files = [store_file(run, self.shared, filename="shared.raw", crc32=sums["crc32"]) for run in chosen]
        for file in files:
            store.delete(file.storage_key or "")
        named = {"storage_key": key, "storage_bucket": store.bucket}
        File.objects.filter(pk__in=[file.pk for file in files]).update(**named)
        SharableObject.objects.create(
            file=files[0], storage_key=key, sha256=sums["sha256"], size_bytes=len(self.shared), verified_at=now()
        )


def _keep_replica(key: str, data: bytes) -> None:
    replica = replica_store()
    assert replica is not None
    replica.put(key, io.BytesIO(data), size_bytes=len(data), content_type="text/plain")


def expect(answer: Any, *statuses: int) -> Any:
    assert answer.status_code in statuses, (answer.status_code, answer.content[:500])
    return answer


def purge(world: World, chance: Random) -> None:
    with suppress(RemovalOnHold):
        purge_due(clock=now, goes_on=lambda: True, instrument_id=world.instrument.pk)


def cool(world: World, chance: Random) -> None:
    with suppress(RemovalOnHold):
        cool_due(clock=now, goes_on=lambda: True, instrument_id=world.instrument.pk)


def hold_run(world: World, chance: Random) -> None:
    run = chance.choice(world.runs)
    expect(world.by_admin().put(f"{path_of(run)}/hold", {"reason": "Audit"}), 200)
    world.note_held(run.pk)


def hold_project(world: World, chance: Random) -> None:
    project = chance.choice(world.projects)
    expect(world.by_admin().put(f"/api/v1/projects/{project.pk}/hold", {"reason": "Audit"}), 200)
    for run_id in Run.objects.filter(project=project).values_list("pk", flat=True):
        world.note_held(run_id)


def move_to_project(world: World, chance: Random) -> None:
    body = {"project_id": str(chance.choice(world.projects).pk)}
    expect(world.by_token().patch(path_of(chance.choice(world.runs)), body), 200, 409)


def sign(world: World, chance: Random) -> None:
    body = {"meaning": "reviewed", "password": PASSWORD}
    expect(world.by_admin().post(f"{path_of(chance.choice(world.runs))}/signatures", body), 201, 409)


def patch_run(world: World, chance: Random) -> None:
    body = {"metadata_patch": {"x": chance.random()}}
    expect(world.by_token().patch(path_of(chance.choice(world.runs)), body), 200, 409)


def patch_file(world: World, chance: Random) -> None:
    file = File.objects.filter(run=chance.choice(world.runs), category="raw").order_by("pk")[0]
    expect(world.by_token().patch(f"/api/v1/files/{file.pk}", {"metadata": {"x": chance.random()}}), 200, 409)


def delete_and_undo(world: World, chance: Random) -> None:
    path = path_of(chance.choice(world.runs))
    if expect(world.by_token().delete(path), 200, 409).status_code == 200 and chance.random() < 0.5:
        time.sleep(chance.random() * 0.02)
        expect(world.by_token().post(f"{path}/restore"), 200, 410)


def restore(world: World, chance: Random) -> None:
    expect(world.by_token().post(f"{path_of(world.runs[3])}/restore"), 200, 410)


def move_group(world: World, chance: Random) -> None:
    body = {"visibility": chance.choice(["groups", "everyone"])}
    expect(world.by_admin().patch(f"/api/v1/instruments/{world.instrument.pk}", body), 200)


def upload_twin(world: World, chance: Random) -> None:
    """The same bytes again, into a run of another instrument or of this one."""
    api, run = world.by_token(), chance.choice(world.all_runs)
    body = announced(world.shared, f"twin{chance.randrange(3)}.raw")
    asked = expect(api.post(f"{path_of(run)}/request-upload-url", body), 200, 409)
    if asked.status_code == 200 and not asked.json()["already_uploaded"] and put(asked.json(), world.shared).ok:
        expect(say_uploaded(api, asked.json()["file_id"]), 200, 409)
        share_object()


def send_unconfirmed(world: World, chance: Random) -> None:
    data = chance.randbytes(9)
    body = announced(data, f"{data.hex()}.raw")
    asked = expect(world.by_token().post(f"{path_of(chance.choice(world.runs))}/request-upload-url", body), 200, 409)
    if asked.status_code == 200:
        put(asked.json(), data)


def bring_back(world: World, chance: Random) -> None:
    expect(world.by_admin().post(f"{path_of(chance.choice(world.runs))}/files:restore"), 202, 409, 410)
    bring_back_next(clock=now)


def download(world: World, chance: Random) -> None:
    """The right bytes, or none; none only of what went, by a purge or into the cold, since the address was given."""
    file = chance.choice(list(File.objects.filter(run__in=world.runs, uploaded_at__isnull=False)))
    given = expect(world.by_token().get(f"/api/v1/files/{file.pk}/download"), 302, 409, 410)
    if given.status_code == 302:
        got = requests.get(given["Location"], timeout=30)
        file.refresh_from_db()
        assert got.ok or file.purged_at is not None, (got.status_code, got.text)
        assert not got.ok or hashlib.sha256(got.content).hexdigest() == file.sha256


def pack(world: World, chance: Random) -> None:
    expect(world.by_token().get(f"{path_of(chance.choice(world.runs))}/download-archive"), 202, 302, 404, 409, 410)
    build_next(clock=now)


def damage_and_scrub(world: World, chance: Random) -> None:
    file = File.objects.filter(run__in=world.runs, purged_at__isnull=True, storage_class="hot").order_by("?").first()
    store: Any = object_store()
    if file is not None and file.storage_key and chance.random() < 0.7:
        with suppress(OSError):
            (store.layout.object_directory(file.storage_key) / "data").write_bytes(b"x" * (file.size_bytes or 0))
    scrub_due_files(clock=now, read_before=now() - timedelta(days=10), seconds=1.0, sleep=lambda seconds: None)


def reconcile(world: World, chance: Random) -> None:
    found = [one for batch in Reconciliation(whole_store(), read=True, at=now()).differences() for one in batch]
    assert not [one for one in found if one.kind == DifferenceKind.MISSING]


def preview(world: World, chance: Random) -> None:
    expect(world.by_admin().get(f"/api/v1/instruments/{world.instrument.pk}/retention/preview"), 200)


BEGIN: list[Act] = [purge, cool]
ACTS: list[Act] = [
    *(purge, cool, hold_run, hold_project, move_to_project, sign, patch_run, patch_file, delete_and_undo, restore),
    *(move_group, upload_twin, upload_twin, send_unconfirmed, bring_back, download, pack, damage_and_scrub),
    *(reconcile, preview),
]
