"""Putting runs and projects on hold in the dashboard."""

import pytest

from runs.holds.models import Hold
from tests.factories import make_hold, make_project, make_run, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin(client):
    client.force_login(make_user(is_admin=True, display_name="Ines"))
    return client


def url(run):
    return f"/instruments/{run.instrument_id}/runs/{run.run_id}"


def test_a_run_is_put_on_hold_and_released(admin):
    run = make_run()
    assert "Put on hold…" in admin.get(url(run)).content.decode()

    assert admin.post(f"{url(run)}/hold", {"reason": "Audit of 2026"})["Location"] == url(run)
    page = admin.get(url(run)).content.decode()
    assert ("Audit of 2026" in page, 'value="delete"' in page) == (True, False)
    assert "Save the reason" in admin.get(f"{url(run)}/hold").content.decode()

    admin.post(f"{url(run)}/hold", {"do": "lift", "reason": ""})
    assert not Hold.objects.exists()


def test_a_hold_without_a_reason_is_asked_again(admin):
    answer = admin.post(f"{url(make_run())}/hold", {"reason": "  "})

    assert (answer.status_code, Hold.objects.count()) == (400, 0)
    assert 'aria-invalid="true"' in answer.content.decode()


def test_a_project_is_put_on_hold_and_its_runs_say_so(admin):
    project = make_project(name="Buffers")
    run = make_run(project=project)

    assert admin.post(f"/projects/{project.pk}/hold", {"reason": "Patent"})["Location"] == "/projects"

    assert "on hold" in admin.get("/projects").content.decode()
    page = admin.get(url(run)).content.decode()
    assert "The project of this run is on hold" in page
    assert f"/projects/{project.pk}/hold" in page


def test_a_deletion_from_the_list_is_refused_with_the_reason(admin):
    run = make_hold(reason="Audit").run

    admin.post("/runs/selection", {"run": f"{run.instrument_id}/{run.run_id}", "do": "delete", "next": "/runs"})

    assert "The run is on hold: Audit" in admin.get("/runs").content.decode()


def test_others_read_the_hold_and_cannot_change_it(client):
    client.force_login(make_user())
    run = make_hold(reason="Audit").run

    assert ("Audit" in client.get(url(run)).content.decode(), client.get(f"{url(run)}/hold").status_code) == (True, 403)
