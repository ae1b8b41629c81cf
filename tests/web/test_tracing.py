"""Traces lead from a request over the queue to the reading; without a setting nothing of it is even read."""

import json
import os
import subprocess
import sys
from io import BytesIO

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from psycopg.conninfo import make_conninfo

from files.models import File
from files.storage import object_store
from processing.models import ProcessingJob
from tests.clients import Api
from tests.factories import make_run, make_token_with_text
from tests.files.sending import ask
from tests.samples.instruments import csv
from web.telemetry import process as telemetry
from wire.telemetry.tracing import continued_trace, current_traceparent

SCAN = csv([["nm", "AU"], *[[step, step] for step in range(6)]])


def run_python(*arguments, **variables):
    environ = os.environ | {"DJANGO_SETTINGS_MODULE": "config.settings"} | variables
    return subprocess.run([sys.executable, *arguments], env=environ, capture_output=True, text=True, timeout=500)


def test_without_a_setting_no_package_of_it_is_read():
    packages = "{'opentelemetry.sdk', 'opentelemetry.instrumentation', 'sentry_sdk'}"
    told = f"import sys, config.wsgi; print(sorted({packages} & sys.modules.keys()))"

    done = run_python("-c", told)

    assert done.stdout.strip() == "[]", done.stderr


@pytest.mark.parametrize(
    ("variables", "wanted"),
    [
        ({}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}, True),
        ({"OTEL_TRACES_EXPORTER": "console"}, True),
        ({"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}, False),
        ({"OTEL_TRACES_EXPORTER": "otlp", "OTEL_SDK_DISABLED": True}, False),
    ],
    ids=["nothing", "endpoint", "exporter", "none", "disabled"],
)
def test_the_usual_variables_ask_for_traces(variables, wanted, settings):
    for name, value in variables.items():
        setattr(settings, name, value)

    assert telemetry.is_tracing_wanted() is wanted


def test_a_package_that_is_missing_is_named_with_what_to_do():
    with pytest.raises(ImproperlyConfigured, match=r"no_such_package.*pip install .*requirements-tracing\.lock"):
        telemetry._import("no_such_package", "SENTRY_DSN")


def test_an_exporter_that_nobody_knows_stops_the_start(settings):
    settings.OTEL_TRACES_EXPORTER = "zipkin"

    with pytest.raises(ImproperlyConfigured, match="OTEL_TRACES_EXPORTER is 'zipkin'"):
        telemetry.start_telemetry("web")


def test_without_traces_work_goes_on_as_ever():
    with continued_trace("reading", traceparent="00-" + "a" * 32 + "-" + "b" * 16 + "-01"):
        assert current_traceparent() is None


def send(api, data):
    """A file whose bytes are in the store, before anybody says so; its id."""
    file = File.objects.get(pk=ask(api, make_run(), data, "scan.csv")["file_id"])
    object_store().put(file.storage_key, BytesIO(data), size_bytes=len(data), content_type="text/csv")
    return file.pk


@pytest.mark.django_db
def test_a_job_keeps_the_id_of_the_request_that_asked_for_it(as_token):
    api = as_token()
    file_id = send(api, SCAN)

    api.patch(f"/api/v1/files/{file_id}", {"status": "uploaded"}, X_Request_ID="asked-by-a-test")

    assert ProcessingJob.objects.get(file_id=file_id).request_id == "asked-by-a-test"


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_request_task_and_reading_of_an_upload_are_one_trace():
    text = make_token_with_text()[1]
    file_id = send(Api(text=text), SCAN)

    done = run_python(
        *("-m", "tests.web.traced_upload", str(file_id), text),
        DATABASE_URL=make_conninfo(os.environ["DATABASE_URL"], dbname=connection.settings_dict["NAME"]),
        REDIS_URL=os.environ["REDIS_URL"].partition("db=")[0] + "db=15",
    )

    assert done.returncode == 0, done.stderr
    spans = json.loads(done.stdout.splitlines()[-1])
    by_name = {span["name"]: span for span in spans}
    reading, task = by_name["reading"], by_name["run/processing.process"]
    (request,) = [span for span in spans if span["parent_id"] is None]
    assert "files/<file_id:file_id>" in request["name"]
    assert {span["context"]["trace_id"] for span in spans} == {request["context"]["trace_id"]}
    assert reading["parent_id"] == task["context"]["span_id"]
    assert reading["attributes"]["ids.request_id"] == request["attributes"]["ids.request_id"] == "asked-by-a-test"
    assert reading["attributes"]["ids.file_id"] == file_id
    assert any(span["name"] == "UPDATE" and "%s" in span["attributes"]["db.query.text"] for span in spans)
    assert [word for word in (text, "a_secret_in_the_query", "/*ids", "127.0.0.1") if word in done.stdout] == []
    assert File.objects.get(pk=file_id).status == "completed"
