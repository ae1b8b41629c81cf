"""Each process of the service, as it is started, with a page that came without its guard: none of them begins."""

import os
import re
import subprocess
import sys
from pathlib import Path

import boto3
import pytest
from django.core.management import CommandError, call_command

from files.storage import object_store, require_suitable_store
from tests.moto_servers import running_moto
from tests.stores import s3_store_at, use_s3

CHECKOUT = Path(__file__).parents[2]
NAMED = "/settings/members declares no access (dashboard.accounts.members.member_list)."
WEB = ("web", "--port", "0")
WORKER = ("jobs.worker", "-A", "config.celery", "worker")
REPLACES = "The object store ignores `If-None-Match: \\*`"
KEYS = {"aws_access_key_id": "suite", "aws_secret_access_key": "secret"}
BEAT = ("celery", "-A", "config.celery", "beat", "--pidfile=", "-s")


def start(*module, **variables):
    return subprocess.run(
        [sys.executable, "-m", *module],
        cwd=CHECKOUT,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.fixture
def replacing_store():
    """The variables of a store that takes a second object under a key."""
    with running_moto(without=("If-None-Match",)) as url:
        boto3.client("s3", endpoint_url=url, region_name="us-east-1", **KEYS).create_bucket(Bucket="start")
        yield {"S3_BUCKET": "start", "S3_ENDPOINT_URL": url, "S3_ACCESS_KEY_ID": "suite", "S3_SECRET_ACCESS_KEY": "s"}


def store_of(variables):
    url = variables["S3_ENDPOINT_URL"]
    return s3_store_at(url, bucket="start")


def last_line(ended):
    return ended.stderr.strip().splitlines()[-1]


@pytest.mark.slow
def test_the_web_server_does_not_start():
    ended = start(*WEB, DJANGO_SETTINGS_MODULE="tests.web.unguarded_settings")

    assert ended.returncode == 1
    assert last_line(ended) == f"web.startup.UndeclaredAccess: {NAMED}"


@pytest.mark.slow
def test_a_worker_does_not_start():
    ended = start(*WORKER, DJANGO_SETTINGS_MODULE="tests.web.unguarded_settings")

    assert (ended.returncode, last_line(ended)) == (1, NAMED)


@pytest.mark.slow
def test_the_scheduler_does_not_start(tmp_path):
    ended = start(*BEAT, str(tmp_path / "schedule"), DJANGO_SETTINGS_MODULE="tests.web.unguarded_settings")

    assert ended.returncode == 1
    assert NAMED in last_line(ended)  # in a line of the log


def test_the_preparation_ends_with_one_line_before_it_touches_anything(settings, django_assert_num_queries, db):
    settings.ROOT_URLCONF = "tests.web.unguarded_urls"

    with django_assert_num_queries(0), pytest.raises(CommandError) as refused:
        call_command("prepare")

    assert (str(refused.value), refused.value.returncode) == (NAMED, 3)


@pytest.mark.slow
def test_a_web_server_whose_mounts_say_nothing_does_not_start():
    unguarded = "import config.wsgi; from mcp_server.application import McpApp; del McpApp.access; import config.asgi"

    ended = subprocess.run(
        [sys.executable, "-c", unguarded], cwd=CHECKOUT, env=os.environ, capture_output=True, text=True, timeout=120
    )

    assert ended.returncode == 1
    assert "/mcp/v1 declares no access (mcp_server.application.McpApp)." in last_line(ended)


@pytest.mark.slow
def test_the_web_server_does_not_start_on_a_store_that_replaces_bytes(replacing_store):
    ended = start(*WEB, **replacing_store)

    assert ended.returncode == 1
    assert re.search(f"^django.core.exceptions.ImproperlyConfigured: {REPLACES}", last_line(ended))


@pytest.mark.slow
def test_a_worker_does_not_start_on_a_store_that_replaces_bytes(replacing_store):
    ended = start(*WORKER, **replacing_store)

    assert ended.returncode == 1
    assert re.search(f"^{REPLACES}", last_line(ended))


def test_the_preparation_refuses_a_store_that_replaces_bytes(replacing_store, settings, monkeypatch):
    use_s3(settings, monkeypatch, store_of(replacing_store))

    with pytest.raises(CommandError, match=REPLACES) as refused:
        call_command("prepare")

    object_store.cache_clear()
    assert refused.value.returncode == 3


def test_a_store_that_is_away_keeps_nothing_from_starting(settings, monkeypatch):
    use_s3(settings, monkeypatch, s3_store_at("http://127.0.0.1:9", bucket="start"))

    require_suitable_store()

    mode = object_store().checksum_mode
    object_store.cache_clear()
    assert mode == "unknown"
