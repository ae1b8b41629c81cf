"""A project as DataCite metadata."""

from datetime import UTC, datetime

from runs.models import Claim
from tests.factories import make_project, make_run, make_stored_file, make_user


def route(project) -> str:
    return f"/api/v1/projects/{project.pk}/datacite"


def test_a_project_is_told_with_its_people_days_formats_and_sizes(as_token):
    project = make_project(name="Enzymes", description="Kinetics.", link="https://example.org/e")
    ada, bob = make_user(display_name="Ada Byron"), make_user(display_name="Bob")
    for day, people in ((2, [ada, bob]), (5, [ada])):
        run = make_run(project=project, acquired_at=datetime(2026, 11, day, 12, tzinfo=UTC))
        make_stored_file("a.csv", b"abc", run=run, content_type="text/csv")
        for person in people:
            Claim.objects.create(run=run, user=person)

    told = as_token("runs:read").get(route(project)).json()

    assert told["schemaVersion"] == "http://datacite.org/schema/kernel-4"
    assert told["titles"] == [{"title": "Enzymes"}]
    assert [one["name"] for one in told["creators"]] == ["Ada Byron", "Bob"]
    assert told["dates"] == [{"date": "2026-11-02/2026-11-05", "dateType": "Collected"}]
    assert told["formats"] == ["text/csv"]
    assert told["sizes"] == ["2 runs", "2 files", "6 bytes"]
    assert told["descriptions"] == [{"description": "Kinetics.", "descriptionType": "Abstract"}]
    assert told["relatedIdentifiers"][1]["relatedIdentifier"] == "https://example.org/e"


def test_a_project_without_runs_names_nobody(as_token):
    told = as_token("runs:read").get(route(make_project(name="Empty"))).json()

    assert told["creators"] == [{"name": ":unkn"}]
    assert (told["dates"], told["formats"], told["sizes"]) == ([], [], ["0 runs", "0 files", "0 bytes"])


def test_a_bound_token_counts_its_own_runs_only(as_token):
    project = make_project()
    mine, _ = make_run(project=project), make_run(project=project)

    told = as_token("runs:read", instrument_ids=[mine.instrument_id]).get(route(project)).json()

    assert told["sizes"][0] == "1 runs"


def test_an_unknown_project_is_not_found(as_token):
    absent = "00000000-0000-7000-8000-000000000000"

    assert as_token("runs:read").get(f"/api/v1/projects/{absent}/datacite").status_code == 404
