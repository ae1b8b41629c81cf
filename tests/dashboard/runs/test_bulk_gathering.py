"""Tags and a project for all picked runs at once."""

import re

import pytest

from tests.factories import make_project, make_run, make_user
from wire.clock import now

pytestmark = pytest.mark.django_db


@pytest.fixture
def act(client):
    """act(runs, do="tag", tag="qc") is the text of the page afterwards."""
    client.force_login(make_user())

    def post(runs, **said):
        keys = [f"{run.instrument_id}/{run.run_id}" for run in runs]
        answer = client.post("/runs/selection", {"run": keys, "next": "/runs", **said})
        assert (answer.status_code, answer["Location"]) == (302, "/runs")
        return client.get("/runs").content.decode()

    return post


def tags_of(*runs):
    for run in runs:
        run.refresh_from_db()
    return [run.tags for run in runs]


def test_a_tag_is_put_on_all_picked_runs_and_taken_off(act):
    runs = [make_run(tags=["kept"]), make_run()]

    assert "2 runs tagged qc." in act(runs, do="tag", tag="qc")
    assert tags_of(*runs) == [["kept", "qc"], ["qc"]]

    assert "Tag qc removed from 2 runs." in act(runs, do="untag", tag="qc")
    assert tags_of(*runs) == [["kept"], []]


def test_capitals_of_a_tag_become_small_letters(act):
    run = make_run()

    assert "tagged needs-review." in act([run], do="tag", tag="Needs-Review")
    assert tags_of(run) == [["needs-review"]]


def test_undo_takes_the_tag_off_those_only_that_had_it_not(act):
    runs = [make_run(tags=["qc"]), make_run()]

    page = act(runs, do="tag", tag="qc")

    toast = page[page.index('class="toast') :]
    undo = re.findall(r'name="([a-z]+)" value="([^"]*)"', toast[: toast.index("</form>")])
    assert {pair for pair in undo if pair[0] != "csrfmiddlewaretoken"} == {
        ("do", "untag"),
        ("tag", "qc"),
        ("run", f"{runs[1].instrument_id}/{runs[1].run_id}"),
        ("next", "/runs"),
    }


def test_what_was_tagged_before_leaves_nothing_to_undo(act):
    page = act([make_run(tags=["qc"])], do="tag", tag="qc")

    assert "Run tagged qc." in page
    assert "Undo" not in page


def test_each_picked_run_costs_a_few_queries(act, django_assert_max_num_queries):
    runs = [make_run() for _ in range(20)]

    with django_assert_max_num_queries(20 * 5 + 20):
        act(runs, do="tag", tag="qc")
    with django_assert_max_num_queries(20 * 6 + 20):
        act(runs, do="project", project_id=str(make_project().pk))


@pytest.mark.parametrize("tag", ["", "Not A Slug"])
def test_a_tag_that_cannot_be_comes_back_in_its_form_with_the_picked_runs(client, tag):
    client.force_login(make_user())
    run = make_run()
    key = f"{run.instrument_id}/{run.run_id}"

    answer = client.post("/runs/selection", {"run": [key], "next": "/runs?q=a", "do": "tag", "tag": tag})

    page = answer.content.decode()
    assert answer.status_code == 400
    assert "A tag is 1 to 64 of a-z, 0-9 and hyphens." in page
    assert all(f'value="{kept}"' in page for kept in (key, tag, "/runs?q=a"))
    assert tags_of(run) == [[]]


def test_picked_runs_are_put_into_a_project_and_taken_out(act):
    runs, project = [make_run(), make_run()], make_project(name="Buffers")

    assert "2 runs put into the project Buffers." in act(runs, do="project", project_id=str(project.pk))
    runs[0].refresh_from_db()
    assert runs[0].project == project

    assert "2 runs no longer in a project." in act(runs, do="project", project_id="")
    runs[0].refresh_from_db()
    assert runs[0].project is None


@pytest.mark.parametrize("project", ["nonsense", "00000000-0000-4000-8000-000000000000"])
def test_a_project_that_is_not_there_is_told(act, project):
    run = make_run()

    assert 'class="toast' in act([run], do="project", project_id=project)
    run.refresh_from_db()
    assert run.project is None


def test_an_archived_project_takes_no_more_and_is_not_offered(act):
    project = make_project(name="Closed study", archived_at=now())

    page = act([make_run()], do="project", project_id=str(project.pk))

    assert "The project is archived." in page
    assert f'<option value="{project.pk}">Closed study' not in page.split('name="project_id" aria-label')[-1]
