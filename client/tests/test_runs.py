"""Finding runs in the running service."""

import uuid
from datetime import timedelta

import httpx
import pytest

import instrument_data as ids
from client.tests.desk import listed
from instrument_data.errors import (
    AmbiguousName,
    Forbidden,
    NotFound,
    ServiceAway,
    Unauthorized,
    UnknownName,
    ValidationError,
)


@pytest.fixture
def report(lab, bench):
    """Reports a run with this metadata."""

    def make(run_id, **metadata):
        body = {"run_id": run_id, "metadata": metadata}
        return lab.connection.ask("POST", f"/instruments/{bench.instrument}/runs", body=body)

    return make


def found(lab, bench, **filters):
    return [run.run_id for run in lab.runs(instrument=bench.instrument, sort="run_id", order="asc", **filters)]


def test_metadata_is_a_keyword(lab, bench, report):
    report("R1", plate_id="P7", temperature=36)
    report("R2", plate_id="P8", temperature=38)

    assert found(lab, bench, plate_id="P7") == ["R1"]
    assert found(lab, bench, temperature__gt=37) == ["R2"]
    assert found(lab, bench, metadata={"plate_id": "P8"}) == ["R2"]
    assert found(lab, bench, operator__exists=False) == ["R1", "R2"]


def test_times_and_parts_of_names(lab, bench, report):
    report("batch-7")
    report("other")

    assert found(lab, bench, since="last week", search="batch") == ["batch-7"]
    assert found(lab, bench, until="last week") == []


def test_a_search_goes_over_pages_by_cursor(lab, bench, report, monkeypatch):
    monkeypatch.setattr("instrument_data._sync.connection.PER_PAGE", "5")
    for number in range(12):
        report(f"R{number:03}")

    runs = lab.runs(instrument=bench.instrument, sort="run_id", order="asc")

    assert len(runs) == len(runs.all()) == 12
    assert runs[0].run_id == "R000"
    assert runs[11].run_id == runs[-1].run_id == "R011"
    assert [run.run_id for run in runs.first(2)] == ["R000", "R001"]
    with pytest.raises(IndexError, match=r"12 found, none at \[12\]"):
        runs[12]


def test_a_search_that_finds_nothing_is_empty(lab, bench):
    runs = lab.runs(instrument=bench.instrument)

    assert not runs
    assert list(runs) == []
    with pytest.raises(IndexError, match=f"none is found: instrument={bench.instrument}"):
        runs[0]


def test_a_run_tells_what_it_is_with_types(lab, bench, report):
    report("R1", plate_id="P7")

    run = lab.runs(instrument=bench.instrument)[0]

    assert (run.run_id, run.instrument_id, run.status) == ("R1", bench.instrument, "empty")
    assert run.metadata == {"plate_id": "P7"}
    assert run.created_at.tzinfo is not None
    assert run.acquired_at is None
    assert run.file_count == run.size_bytes == 0
    assert run.instrument_type == "generic"  # any field of the interface, also newer ones
    with pytest.raises(AttributeError, match="nothing_such"):
        run.nothing_such  # noqa: B018


def test_metadata_is_added_key_by_key(lab, bench, report):
    report("R1", plate_id="P7", analyst="Ines")

    run = lab.run(bench.instrument, "R1").update(analyst=None, dilution=4)

    assert run.metadata == {"plate_id": "P7", "dilution": 4}


def test_a_program_says_why_it_changes_something(lab, bench, report):
    report("R1", plate_id="P7")
    run = lab.run(bench.instrument, "R1")

    with ids.because("Tippfehler, siehe DEV-113: Müller"):
        run.update(plate_id="P8")
    run.update(plate_id="P9")

    history = run._session.connection.ask("GET", f"{run.path}/history")["data"]
    assert [row["reason"] for row in history][:2] == [None, "Tippfehler, siehe DEV-113: Müller"]


@pytest.mark.parametrize("reason", ["", "  ", "two\nlines", "r" * 101])
def test_what_is_no_reason_is_not_sent(reason):
    with pytest.raises(ValueError, match="one line of 1 to 100 characters"), ids.because(reason):
        pass


def test_tags_and_comments(lab, bench, report):
    report("R1")
    run = lab.run(bench.instrument, "R1")

    assert run.tag("qc", "batch-7") == ["batch-7", "qc"]
    assert run.untag("qc") == ["batch-7"]
    run.comment("Looks **odd**.")
    assert [comment["body"] for comment in run.comments()] == ["Looks **odd**."]
    assert found(lab, bench, tag="batch-7") == ["R1"]


def test_a_notebook_shows_a_table_and_nothing_that_a_name_slips_in(lab, bench, report):
    report("R1", note="<script>alert(1)</script>")

    runs = lab.runs(instrument=bench.instrument)

    assert "R1" in runs._repr_html_()
    assert "<script>" not in runs._repr_html_() + runs[0]._repr_html_()


def test_what_is_not_gone_through_says_what_it_is(lab, bench, report):
    report("R1")
    run = lab.run(bench.instrument, "R1")

    assert repr(run.files) == f"<Files of /instruments/{bench.instrument}/runs/R1>"
    assert repr(run.datasets) == f"<Datasets of <Run R1 of {bench.instrument}, empty>>"


def test_an_instrument_is_found_once_for_many_searches(lab, bench):
    lab.runs(instrument=bench.instrument).count()
    asked = []
    lab.connection._service.event_hooks["request"].append(lambda request: asked.append(request.url.path))

    lab.runs(instrument=f"SYNERGY {bench.instrument}").count()

    assert asked == ["/api/v1/instrument-runs"]


def test_a_project_is_found_by_its_name(lab, bench, report):
    made = lab.connection.ask("POST", "/projects", body={"name": f"Stability {bench.instrument}"})
    run = report("R1")
    report("R2")
    path = f"/instruments/{bench.instrument}/runs/{run['run_id']}"
    lab.connection.ask("PATCH", path, body={"project_id": made["id"]})

    assert found(lab, bench, project=f"STABILITY {bench.instrument}") == ["R1"]
    assert found(lab, bench, project=made["id"]) == ["R1"]
    assert made["id"] in [one.id for one in lab.projects() if not one.is_archived]


def test_a_project_that_is_not_there_or_not_alone(desk):
    rows = [{"id": f"01990000-0000-7000-8000-00000000000{n}", "name": name} for n, name in enumerate(("QC", "qc"))]
    desk.tell("GET", "/projects", listed(rows))
    with ids.connect(desk.url, "ids_x", patience=1) as lab:
        with pytest.raises(AmbiguousName, match=r"2 projects are called Qc: QC \(0199.*0\), qc \(0199.*1\)"):
            lab.runs(project="Qc").count()
        with pytest.raises(UnknownName, match=r"There is no project QD\. Nearest: QC"):
            lab.runs(project="QD").count()

    assert repr(lab.runs(project="Qc")) == "<Runs: project=Qc>"


def test_an_unknown_instrument_is_no_empty_list(lab, bench):
    with pytest.raises(UnknownName, match="There is no instrument"):
        list(lab.runs(instrument="never-seen"))


def test_a_run_that_is_not_there(lab, bench):
    with pytest.raises(NotFound) as caught:
        lab.run(bench.instrument, "R1")

    assert (caught.value.code, caught.value.status) == ("NOT_FOUND", 404)
    assert caught.value.request_id


def test_a_bad_filter_carries_the_services_sentence(lab, bench):
    with pytest.raises(ValidationError, match="status") as caught:
        lab.runs(status="finished").count()

    assert "status.0" in caught.value.fields


def test_a_missing_scope_is_named(service, bench):
    token = service.manage("create_token", f"narrow {uuid.uuid4()}", "--scopes", "instruments:read").strip()

    with ids.connect(bench.url, token) as lab, pytest.raises(Forbidden, match="runs:read") as caught:
        lab.runs().count()

    assert caught.value.scope == "runs:read"


def test_a_bad_token_is_told_so(bench):
    with ids.connect(bench.url, "ids_wrong") as lab, pytest.raises(Unauthorized):
        lab.whoami()


def test_a_service_that_is_away_is_told_so_after_patience_ended():
    with (
        ids.connect("http://127.0.0.1:9", "ids_x", patience=0.4) as lab,
        pytest.raises(ServiceAway, match=r"127\.0\.0\.1:9 does not answer"),
    ):
        lab.whoami()


def test_what_a_token_is(lab):
    assert lab.whoami()["name"] == "script"


def test_filter_options_say_what_metadata_there_is(lab, bench, report):
    report("R1", plate_id="P7")

    assert lab.filter_options(bench.instrument)["plate_id"][0]["value"] == "P7"


def test_a_run_is_shared_with_outsiders_and_no_longer(lab, bench, report):
    report("R1")
    run = lab.run(bench.instrument, "R1")

    link = run.share(days=3)
    page = httpx.get(link.url)
    listed = run.share_links()

    assert (page.status_code, "R1" in page.text) == (200, True)
    assert (link.expires_at - link.created_at).days == 3
    assert [(one.id, one.url, one.open_count, one.made_by) for one in listed] == [(link.id, None, 1, "script")]
    assert link.url in link._repr_html_()
    listed[0].end()
    assert (httpx.get(link.url).status_code, run.share_links()) == (404, [])
    with pytest.raises(NotFound):
        link.end()


def test_a_link_ends_when_it_is_told_to(lab, bench, report):
    report("R1")
    run = lab.run(bench.instrument, "R1")

    by_span = run.share(until=timedelta(hours=2))

    assert abs(by_span.expires_at - by_span.created_at - timedelta(hours=2)) < timedelta(minutes=5)
    with pytest.raises(ValidationError, match="in the future"):
        run.share(until="yesterday")
