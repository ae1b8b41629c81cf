"""Holds: a run that is on hold is not deleted, whoever asks and whatever races."""

import pytest

from accounts.callers import caller_for_user
from runs.holds.models import Hold
from runs.holds.placing import hold_project
from runs.lifecycle import delete_run
from runs.models import Run
from tests.factories import make_project, make_run, make_user
from tests.races import at_once
from wire.clock import now
from wire.errors import Conflict

pytestmark = pytest.mark.django_db
AUDIT = {"reason": "Audit of 2026"}


def address(run):
    return f"/api/v1/instruments/{run.instrument_id}/runs/{run.run_id}"


def test_a_held_run_is_not_deleted_until_the_hold_is_lifted(as_admin, as_token):
    admin, run = as_admin(display_name="Ines"), make_run()

    placed = admin.put(f"{address(run)}/hold", AUDIT)
    assert (placed.status_code, placed.json()["hold"]["reason"]) == (200, "Audit of 2026")
    assert placed.json()["hold"]["placed_by"]["display_name"] == "Ines"

    for caller in (admin, as_token("runs:delete")):
        refused = caller.delete(address(run))
        assert (refused.status_code, refused.json()["error"]["details"]) == (409, {"hold": placed.json()["hold"]})
        assert refused.json()["error"]["message"] == "The run is on hold: Audit of 2026"

    assert admin.delete(f"{address(run)}/hold").json() == {"hold": None}
    assert admin.delete(address(run)).status_code == 200


def test_a_held_project_keeps_its_runs_and_their_place(as_admin, as_token):
    admin, project = as_admin(), make_project()
    run = make_run(project=project)
    hold = f"/api/v1/projects/{project.pk}/hold"

    assert admin.put(hold, AUDIT).json()["hold"]["on"] == "project"
    assert admin.get(f"{address(run)}/hold").json() == admin.get(hold).json()

    assert admin.delete(address(run)).json()["error"]["details"]["hold"]["on"] == "project"
    left = as_token("runs:update").patch(address(run), {"project_id": None})
    assert (left.status_code, left.json()["error"]["details"]["hold"]["on"]) == (409, "project")

    assert admin.delete(hold).json() == {"hold": None}
    assert as_token("runs:update").patch(address(run), {"project_id": None}).status_code == 200


def test_a_run_that_comes_into_a_held_project_is_held(as_admin, as_token):
    admin, project, run = as_admin(), make_project(), make_run()
    admin.put(f"/api/v1/projects/{project.pk}/hold", AUDIT)

    as_token("runs:update").patch(address(run), {"project_id": str(project.pk)})

    assert admin.delete(address(run)).status_code == 409


def test_both_repeat_safely_and_a_new_reason_is_kept(as_admin):
    admin, run = as_admin(), make_run()
    first = admin.put(f"{address(run)}/hold", AUDIT).json()

    assert admin.put(f"{address(run)}/hold", AUDIT).json() == first
    assert admin.put(f"{address(run)}/hold", {"reason": "Patent"}).json()["hold"]["reason"] == "Patent"
    assert Hold.objects.count() == 1
    assert [admin.delete(f"{address(run)}/hold").status_code for _ in range(2)] == [200, 200]


@pytest.mark.parametrize("body", [{}, {"reason": ""}, {"reason": " "}, {"reason": "x" * 1001}, {"reason": "a\0"}, []])
def test_a_hold_needs_a_reason(as_admin, body):
    assert as_admin().put(f"{address(make_run())}/hold", body).status_code == 400


def test_a_deleted_run_is_held_too_and_can_be_restored(as_admin):
    admin, run = as_admin(), make_run()
    admin.delete(address(run))

    assert admin.put(f"{address(run)}/hold", AUDIT).status_code == 200
    assert admin.delete(address(run)).json()["already_applied"] is True
    assert admin.post(f"{address(run)}/restore").status_code == 200


def test_an_empty_project_goes_with_its_hold(as_admin):
    admin, project = as_admin(), make_project()
    admin.put(f"/api/v1/projects/{project.pk}/hold", AUDIT)

    assert admin.delete(f"/api/v1/projects/{project.pk}").status_code == 204
    assert not Hold.objects.exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("_", range(3))
def test_of_a_hold_and_deletions_at_once_each_is_before_or_after(_):
    project, ines = make_project(), make_user(is_admin=True)
    runs = [make_run(project=project) for _ in range(6)]
    by = caller_for_user(ines)

    def act(number):
        if number == 0:
            hold_project(project.pk, reason="Audit", by=by, at=now())
            return Run.objects.filter(project=project, deleted_at__isnull=False).count()
        run = runs[number - 1]
        try:
            delete_run(instrument=run.instrument_id, run_id=run.run_id, by=by, at=now())
        except Conflict:
            return "held"
        return "deleted"

    deleted_before, *outcomes = at_once(7, act)

    assert outcomes.count("deleted") == deleted_before == Run.objects.filter(deleted_at__isnull=False).count()
