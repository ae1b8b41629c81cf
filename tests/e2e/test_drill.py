"""The drill: a backup while the lab uploads, restored into an empty data directory: every promised byte is there."""

import hashlib
import json
import os
import threading
import zlib
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any

import psycopg
import pytest
import requests

from files.storage.layout import Layout, ObjectDescription
from operations.embedded.postgres import OWNER, SERVICE, Postgres
from operations.embedded.sockets import choose_socket_directory
from tests.faults.journal import wait_until
from tests.service import Service

SCOPES = "instruments:create,runs:read,runs:create,runs:upload,files:read,files:update"
MANY = int(os.environ.get("DRILL_FILES", "10000"))  # 100000 take minutes on an idle machine


class Lab:
    """Scripts that upload files one after the other and note each that the service said it has."""

    def __init__(self, service: Service, token: str) -> None:
        self.url, self.headers = f"{service.url}/api/v1", {"Authorization": f"Bearer {token}"}
        self.acknowledged: dict[int, str] = {}
        self.refused: list[str] = []
        self.stopped = threading.Event()
        self.numbers = count()
        self.threads = [threading.Thread(target=self._work) for _ in range(2)]

    def call(self, method, path, body=None, **options):
        return requests.request(method, self.url + path, json=body, headers=self.headers, timeout=60, **options)

    def upload(self, number: int) -> None:
        data = os.urandom(2_000 + number)
        about: dict[str, Any] = {"filename": f"scan-{number}.raw", "size_bytes": len(data)}
        about["crc32"] = f"{zlib.crc32(data):08x}"
        about["sha256"] = hashlib.sha256(data).hexdigest()
        ticket = self.call("POST", f"/instruments/drill/runs/run-{number % 5}/request-upload-url", about).json()
        requests.put(ticket["upload_url"], data=data, headers=ticket["headers"], timeout=60)
        said = self.call("PATCH", f"/files/{ticket['file_id']}", {"status": "uploaded"})
        if said.status_code == 200:
            self.acknowledged[ticket["file_id"]] = about["sha256"]
        else:
            self.refused.append(said.text)

    def _work(self) -> None:
        while not self.stopped.is_set():
            self.upload(next(self.numbers))

    def __enter__(self) -> "Lab":
        self.call("POST", "/instruments", {"id": "drill"})
        for number in range(5):
            assert self.call("POST", "/instruments/drill/runs", {"run_id": f"run-{number}"}).status_code == 201
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopped.set()
        for thread in self.threads:
            thread.join()


def downloaded(service: Service, token: str, file_id: int) -> str:
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
    answer = requests.get(f"{service.url}/api/v1/files/{file_id}/download", headers=headers, timeout=60)
    assert answer.status_code == 200, answer.text
    return hashlib.sha256(requests.get(answer.json()["download_url"], timeout=60).content).hexdigest()


def summary(said: str) -> dict[str, Any]:
    return json.loads(said.splitlines()[-1])


@pytest.mark.slow
def test_everything_acknowledged_before_a_backup_under_load_is_there_after_the_restore(tmp_path):
    backups = tmp_path / "backups"
    with Service(tmp_path / "data", REQUESTS_PER_SECOND="0") as service:
        token = service.manage("create_token", "drill", "--scopes", SCOPES).strip()
        with Lab(service, token) as lab:
            wait_until(lambda: len(lab.acknowledged) >= 10, seconds=60, why="files come in")
            first = service.manage("backup", str(backups))
            promised = dict(lab.acknowledged)
            second = service.manage("backup", str(backups))
    lost = Service(tmp_path / "restored", REQUESTS_PER_SECOND="0")
    lost.manage("restore", str(backups))
    checked = lost.manage("reconcile", "--read", "--json")

    with lost as restored:
        found = {file_id: downloaded(restored, token, file_id) for file_id in promised}
        with connected(restored, SERVICE) as by_service, pytest.raises(psycopg.errors.InsufficientPrivilege):
            by_service.execute("DELETE FROM runs_runtrail")

    assert found == promised
    assert lab.refused == []
    assert "; 0 were there" in first
    assert "; 0 were there" not in second
    assert sum(summary(checked)["differences"].values()) == 0
    assert summary(checked)["objects"] >= len(promised)
    assert (lost.data / "secret_key").read_text() == (service.data / "secret_key").read_text()


@pytest.mark.big
def test_the_drill_with_many_files(tmp_path, record_property):
    backups = tmp_path / "backups"
    with Service(tmp_path / "data", REQUESTS_PER_SECOND="0") as service:
        token = service.manage("create_token", "drill", "--scopes", SCOPES).strip()
        with Lab(service, token) as lab:
            wait_until(lambda: lab.acknowledged, seconds=60, why="files come in")
            seed(service)
            promised = dict(lab.acknowledged)
            backup = service.manage("backup", str(backups))
    lost = Service(tmp_path / "restored", REQUESTS_PER_SECOND="0")
    restore = lost.manage("restore", str(backups))
    checked = summary(lost.manage("reconcile", "--read", "--json"))

    with lost as restored:
        found = {file_id: downloaded(restored, token, file_id) for file_id in promised}

    record_property("saw", [backup, restore, checked])
    assert found == promised
    assert sum(checked["differences"].values()) == 0
    assert checked["objects"] >= MANY + len(promised)


def connected(service: Service, role: str) -> psycopg.Connection[Any]:
    return psycopg.connect(Postgres(service.data, choose_socket_directory(service.data), service.log).url(role))


def seed(service: Service) -> None:
    """A hundred runs of a thousand files, rows and objects, past the API."""
    with connected(service, OWNER) as owner:
        owner.execute(SEED_RUNS)
        owner.execute(SEED_FILES, {"most": MANY})
        keys = [key for (key,) in owner.execute("SELECT storage_key FROM files_file WHERE filename LIKE 'seed-%'")]
        layout = Layout(service.data / "objects")
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda key: lay(layout, key), keys, chunksize=1_000))


def lay(layout: Layout, key: str) -> None:
    directory = layout.object_directory(key)
    directory.mkdir(parents=True)
    (directory / "data").write_bytes(b"seed")
    (directory / "about.json").write_text(ABOUT)


ABOUT = json.dumps(vars(ObjectDescription("text/plain", 4, f"{zlib.crc32(b'seed'):08x}", "seed")))
SEED_RUNS = """
    INSERT INTO runs_run (id, instrument_id, run_id, source, own, extracted, created_at, updated_at, file_count,
                          total_size_bytes, n_failed, n_pending, n_uploaded, n_processing, n_completed, comment_count,
                          claim_count)
    SELECT gen_random_uuid(), 'drill', 'seed-' || n, 'script', '{}', '{}', now(), now(), 0, 0, 0, 0, 0, 0, 0, 0, 0
      FROM generate_series(1, 100) AS n
"""
SEED_FILES = f"""
    INSERT INTO files_file (run_id, filename, relative_path, natural_key, report_kind, category, status, size_bytes,
                            sha256, crc32, storage_bucket, storage_key, own, extracted, detected_at, uploaded_at,
                            created_at)
    SELECT id, name, name, name, '', 'raw', 'uploaded', 4, '{hashlib.sha256(b"seed").hexdigest()}',
           '{zlib.crc32(b"seed"):08x}', 'local', 'runs/' || id || '/' || n || '/' || md5(n::text) || '/' || name,
           '{{}}', '{{}}', now(), now(), now()
      FROM (SELECT n, 'seed-' || n || '.csv' AS name, run.id
              FROM generate_series(1, %(most)s) AS n
              JOIN runs_run AS run ON run.run_id = 'seed-' || (1 + n %% 100)) AS seeded
"""
