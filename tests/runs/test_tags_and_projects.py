"""Tags and projects: put on runs, found by, told in the history."""

import pytest

from runs.models import Run
from runs.projects.models import Project
from tests.factories import make_instrument, make_project, make_run, make_user
from tests.markup import flat
from wire.clock import now

RUNS = "/api/v1/instrument-runs"
RUN = "/api/v1/instruments/reader/runs/7"
PROJECTS = "/api/v1/projects"


@pytest.fixture
def run(db):
    return make_run(instrument=make_instrument(id="reader"), run_id="7")


def found(api, query):
    return [row["run_id"] for row in api.get(f"{RUNS}?{query}").json()["data"]]


@pytest.mark.usefixtures("run")
def test_tags_are_put_on_and_taken_off_and_may_be_repeated(as_token):
    api = as_token("runs:update")

    answers = [api.put(f"{RUN}/tags/{tag}").json()["tags"] for tag in ("qc", "b-2", "qc")]
    taken = [api.delete(f"{RUN}/tags/qc").json()["tags"] for _ in range(2)]

    assert answers == [["qc"], ["b-2", "qc"], ["b-2", "qc"]]
    assert taken == [["b-2"], ["b-2"]]


@pytest.mark.usefixtures("run")
@pytest.mark.parametrize("tag", ["Upper", "a_b", "a%20b", "x" * 65])
def test_a_tag_is_a_slug(as_token, tag):
    assert as_token().put(f"{RUN}/tags/{tag}").status_code == 404


def test_the_thirty_first_tag_is_refused_and_says_how_many_there_may_be(as_token, run):
    Run.objects.filter(pk=run.pk).update(tags=sorted(f"t-{number}" for number in range(30)))

    answer = as_token().put(f"{RUN}/tags/one-more")

    assert (answer.status_code, answer.json()["error"]["details"]) == (409, {"max_tags": 30})


def test_a_deleted_run_takes_no_tag(as_token, as_person, run):
    as_person().delete(RUN)

    assert as_token().put(f"{RUN}/tags/qc").status_code == 409


def test_runs_are_found_by_tags_all_of_which_they_have(as_token, run):
    make_run(instrument=run.instrument, run_id="8", tags=["qc"])
    Run.objects.filter(pk=run.pk).update(tags=["b", "qc"])
    api = as_token()

    assert sorted(found(api, "tag=qc")) == ["7", "8"]
    assert found(api, "tag=qc&tag=b") == ["7"]
    assert api.get(f"{RUNS}?tag=No").status_code == 400


def test_tagging_is_told_in_the_history_and_changes_the_etag(as_person, run):
    api = as_person()
    before = api.get(RUN).headers["ETag"]

    api.put(f"{RUN}/tags/qc")

    newest = api.get(f"{RUN}/history").json()["data"][0]
    assert newest["changes"] == {"tags": [[], ["qc"]]}
    assert api.get(RUN).headers["ETag"] != before
    assert Run.objects.get().updated_at > run.updated_at


def test_a_run_is_put_into_a_project_and_out_again(as_token, run):
    project, api = make_project(), as_token()

    into = api.patch(RUN, {"project_id": str(project.pk)})
    kept = api.patch(RUN, {"metadata": {"a": 1}})
    beneath = found(api, f"project_id={project.pk}")
    out = api.patch(RUN, {"project_id": None})

    assert [answer.json()["project_id"] for answer in (into, kept, out)] == [str(project.pk)] * 2 + [None]
    assert beneath == ["7"]
    assert found(api, f"project_id={project.pk}") == []


@pytest.mark.usefixtures("run")
def test_an_unknown_project_is_a_bad_value_and_an_archived_one_takes_no_run(as_token):
    api, archived = as_token(), make_project(archived_at=now())

    unknown = api.patch(RUN, {"project_id": "00000000-0000-4000-8000-000000000000"})
    closed = api.patch(RUN, {"project_id": str(archived.pk)})

    assert (unknown.status_code, list(unknown.json()["error"]["details"]["fields"])) == (400, ["project_id"])
    assert (closed.status_code, list(closed.json()["error"]["details"])) == (409, ["archived_at"])


def test_a_project_is_begun_changed_archived_and_taken_away(as_token, as_admin):
    api = as_token("runs:read", "runs:update")

    made = api.post(PROJECTS, {"name": "Buffers", "link": "https://eln.example/7"}).json()
    path = f"{PROJECTS}/{made['id']}"
    changed = api.patch(path, {"description": "pH\r\nseries", "archived_at": "2026-01-01T00:00:00Z"}).json()
    shown = api.get(path).json()
    gone = as_admin().delete(path)

    assert made | {"description": "pH\nseries", "archived_at": "2026-01-01T00:00:00.000Z"} == changed == shown
    assert (gone.status_code, api.get(path).status_code) == (204, 404)


@pytest.mark.parametrize(
    "body", [{}, {"name": " "}, {"name": "a", "link": "javascript:alert(1)"}, {"name": "a", "link": "https://"}]
)
def test_a_project_has_a_name_and_a_link_of_the_web(as_token, body):
    assert as_token().post(PROJECTS, body).status_code == 400


def test_two_projects_of_one_name_are_one_too_many(as_token):
    first, other = make_project(name="Buffers"), make_project(name="Other")
    api = as_token()

    answers = [api.post(PROJECTS, {"name": "buffers"}), api.patch(f"{PROJECTS}/{other.pk}", {"name": "BUFFERS"})]

    assert [answer.status_code for answer in answers] == [409, 409]
    assert {answer.json()["error"]["details"]["existing_project_id"] for answer in answers} == {str(first.pk)}


def test_a_project_with_runs_stays(as_admin, run):
    project = make_project()
    Run.objects.filter(pk=run.pk).update(project=project, deleted_at=now(), deleted_by=as_admin().user)

    answer = as_admin().delete(f"{PROJECTS}/{project.pk}")

    assert (answer.status_code, answer.json()["error"]["details"]) == (409, {"run_count": 1})


def test_projects_are_listed_by_name_and_by_whether_they_are_archived(as_token):
    make_project(name="b")
    make_project(name="a", archived_at=now())
    api = as_token()

    lists = [api.get(f"{PROJECTS}{query}").json()["data"] for query in ("", "?archived=true", "?archived=false")]

    assert [[row["name"] for row in rows] for rows in lists] == [["a", "b"], ["a"], ["b"]]


def test_the_page_of_a_run_tags_it_and_puts_it_into_a_project(client, run):
    project = make_project(name="Buffers")
    client.force_login(make_user(), backend="allauth.account.auth_backends.AuthenticationBackend")

    client.post("/instruments/reader/runs/7/tags", {"add": "qc, b-2"})
    client.post("/instruments/reader/runs/7/tags", {"remove": "qc"})
    client.post("/instruments/reader/runs/7/tags", {"add": "no_slug"})
    client.post("/instruments/reader/runs/7/project", {"project_id": str(project.pk)})

    run.refresh_from_db()
    assert (run.tags, run.project_id) == (["b-2"], project.pk)
    shown = client.get(f"/runs?tag=b-2&project_id={project.pk}").content.decode()
    assert "Buffers" in shown
    assert "/instruments/reader/runs/7" in shown


def test_capitals_of_a_tag_that_is_typed_become_small_letters(client, run):
    client.force_login(make_user(), backend="allauth.account.auth_backends.AuthenticationBackend")

    client.post("/instruments/reader/runs/7/tags", {"add": "Needs-Review, QC"})

    run.refresh_from_db()
    assert run.tags == ["needs-review", "qc"]


def test_projects_are_begun_and_archived_on_their_page(client, db):
    client.force_login(make_user(), backend="allauth.account.auth_backends.AuthenticationBackend")

    client.post("/projects/new", {"name": "Buffers", "link": ""})
    refused = client.post("/projects/new", {"name": "buffers"})
    project = Project.objects.get()
    client.post(f"/projects/{project.pk}", {"do": "archive"})

    project.refresh_from_db()
    assert refused.status_code == 400
    assert project.archived_at is not None
    assert "Open again" in client.get("/projects").content.decode()


def test_the_page_of_projects_says_how_many_it_leaves_out(client, db):
    client.force_login(make_user())
    Project.objects.bulk_create(Project(name=f"p{number}") for number in range(103))

    assert "3 more are not shown here" in flat(client.get("/projects"))


def test_a_project_that_was_changed_meanwhile_is_not_written_over(as_token):
    api, project = as_token("runs:read", "runs:update"), make_project()
    path = f"{PROJECTS}/{project.pk}"
    seen = api.get(path)["ETag"]

    first = api.patch(path, {"description": "first"}, If_Match=seen)
    second = api.patch(path, {"description": "second"}, If_Match=seen)

    assert (first.status_code, second.status_code) == (200, 412)
    assert second.json()["error"]["code"] == "PRECONDITION_FAILED"
    assert Project.objects.get().description == "first"
    assert api.get(path, If_None_Match=first["ETag"]).status_code == 304


def test_a_project_that_was_changed_meanwhile_is_not_deleted(as_admin):
    api, project = as_admin(), make_project()
    path = f"{PROJECTS}/{project.pk}"
    seen = api.get(path)["ETag"]
    api.patch(path, {"description": "needed"})

    assert api.delete(path, If_Match=seen).status_code == 412
    assert api.delete(path, If_Match="*").status_code == 204
