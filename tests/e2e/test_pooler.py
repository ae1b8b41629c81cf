"""The whole service behind a real PgBouncer that shares connections by transaction: this folder's jobs, unchanged."""

import os
import re
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from io import BytesIO

import psycopg
import pytest
import requests
from requests.adapters import HTTPAdapter

from operations.embedded.postgres import OWNER, Postgres
from operations.pooling import Pooling
from tests.e2e import test_main_job as main_job
from tests.e2e import test_watcher_day as watcher_day
from tests.e2e.lab_script import PATIENT, LabScript
from tests.faults.journal import ready_archive, store_run, wait_until
from tests.pgbouncer import missing_programs, running_pgbouncer, running_postgres
from tests.samples.generate import write_samples
from tests.service import CHECKOUT, Service
from tests.sign_in import PASSWORD

pytestmark = pytest.mark.pooler

PEOPLE = 24
MAKE_PEOPLE = f"""
from accounts.models import User
for number in range({PEOPLE}):
    User.objects.create_user(email=f"person-{{number}}@lab.example", password={PASSWORD!r})
"""
FIND_POOLING = "from operations.pooling import find_pooling; print(find_pooling())"
LIST_DAYS_SQL = "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'watchers_heartbeat'::regclass"
HIDDEN = re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"')


@pytest.fixture(scope="module")
def postgres(tmp_path_factory) -> Iterator[Postgres]:
    if missing := missing_programs():
        pytest.skip(f"not installed: {', '.join(missing)}")
    with running_postgres(tmp_path_factory.mktemp("postgres") / "data") as server:
        yield server


@pytest.fixture(scope="module")
def service(postgres, tmp_path_factory) -> Iterator[Service]:
    with ExitStack() as stack:
        pooled = stack.enter_context(running_pgbouncer(postgres))
        direct = postgres.url(OWNER)
        variables = {"DATABASE_URL": pooled, "DATABASE_OWNER_URL": direct, "DATABASE_POOLING": "transaction"}
        limits = {"REQUESTS_PER_SECOND": "0", "SIGN_INS_PER_ADDRESS": "0", "TRUSTED_PROXIES": "127.0.0.1"}
        yield stack.enter_context(Service(tmp_path_factory.mktemp("pooled") / "data", **variables, **limits))


def token_of(service: Service, scopes: str) -> str:
    return service.manage("create_token", "pooled", "--scopes", scopes).strip()


def test_people_sign_in_all_at_once(service):
    service.manage("shell", "-c", MAKE_PEOPLE)

    with ThreadPoolExecutor(PEOPLE) as pool:
        answers = list(pool.map(lambda number: sign_in(service.url, number), range(PEOPLE)))

    assert Counter(answers) == {(302, 200): PEOPLE}


def sign_in(url: str, number: int) -> tuple[int, int]:
    """The status of the sign-in, and of the first page after it; each person at a computer of their own.

    Whoever reads 429 waits as told.
    """
    with requests.Session() as browser:
        browser.trust_env = False
        browser.headers["X-Forwarded-For"] = f"10.0.0.{number}"
        browser.mount(url, HTTPAdapter(max_retries=PATIENT))
        page = f"{url}/accounts/login/"
        hidden = HIDDEN.search(browser.get(page, timeout=120).text)
        assert hidden is not None
        form = {"login": f"person-{number}@lab.example", "password": PASSWORD, "csrfmiddlewaretoken": hidden[1]}
        answer = browser.post(page, data=form, headers={"Referer": page}, allow_redirects=False, timeout=120)
        return answer.status_code, browser.get(f"{url}/", allow_redirects=False, timeout=120).status_code


def test_the_main_job_passes(service, tmp_path):
    lab = main_job.Lab(service, LabScript(service.url, token_of(service, main_job.SCOPES)), bucket="local")

    main_job.test_every_file_comes_back_byte_for_byte(lab, write_samples(tmp_path / "samples"))
    main_job.test_what_is_there_is_not_sent_again(lab, tmp_path)
    main_job.test_runs_are_found_by_text(lab)
    main_job.test_runs_are_found_by_metadata(lab)


def test_the_watcher_day_passes(service):
    watcher_day.test_at_the_end_of_the_day_every_byte_is_there_once(service)


def test_archives_are_built_and_files_are_read(service, tmp_path):
    script = LabScript(service.url, token_of(service, f"{main_job.SCOPES},archive-jobs:write"))

    def call(method, path, body=None, **options):
        return script.http.request(method, script.root + path, json=body, timeout=60, **options)

    run = store_run(call, "pooled", {"a.csv": b"time,value\n1,2\n", "b.csv": b"time,value\n1,3\n"})
    archive = requests.get(ready_archive(call, run, seconds=120)["download_url"], timeout=60).content

    assert {"a.csv", "b.csv"} <= set(zipfile.ZipFile(BytesIO(archive)).namelist())
    wait_until(lambda: are_read(call, run), seconds=120, why="both files are read")


def are_read(call, run: str) -> bool:
    return {one["status"] for one in call("GET", f"{run}/files").json()["data"]} == {"completed"}


def test_a_heartbeat_makes_the_days_that_are_missing(service, postgres):
    script = LabScript(service.url, token_of(service, "instruments:create,watchers:report"))
    script.call("POST", "/instruments", {"id": "gap"})
    watcher = script.call("POST", "/watchers/register", {"instrument_id": "gap", "hostname": "pc"})["watcher_id"]
    with psycopg.connect(postgres.url(OWNER), autocommit=True) as owner:
        for (day,) in owner.execute(LIST_DAYS_SQL).fetchall():
            owner.execute(f"DROP TABLE {day}")

    with ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(lambda _: beat(service.url, script, watcher), range(24)))

    assert Counter(answers) == {200: 24}


def beat(url: str, script: LabScript, watcher: str) -> int:
    address, headers = f"{url}/api/v1/watchers/{watcher}/heartbeat", dict(script.http.headers)
    return requests.post(address, json={"status": "watching"}, headers=headers, timeout=60).status_code


def test_the_whole_trail_is_exported(service):
    lines = service.manage("export_trail", "--format", "jsonl").splitlines()

    assert len(lines) > PEOPLE


@pytest.mark.parametrize(("mode", "seen"), [("transaction", Pooling.BY_TRANSACTION), ("session", Pooling.BY_SESSION)])
def test_it_is_seen_how_a_pooler_shares_connections(postgres, tmp_path, mode, seen):
    command = [sys.executable, str(CHECKOUT / "manage.py"), "shell", "-v", "0", "-c", FIND_POOLING]
    with running_pgbouncer(postgres, mode=mode) as url:
        environ = os.environ | {"DATABASE_URL": url, "IDS_DATA": str(tmp_path / "data")}
        done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=120)

    assert done.stdout == f"{seen}\n", done.stderr


def test_what_needs_a_session_is_refused_without_an_address_of_the_server(service):
    with pytest.raises(AssertionError, match="prepare needs PostgreSQL itself: set DATABASE_OWNER_URL"):
        service.manage("prepare", DATABASE_OWNER_URL="")
