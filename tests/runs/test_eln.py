"""Links from runs to the laboratory's notebook."""

import pytest

from accounts.callers import caller_for_user
from runs.eln.links import find_template_fault, list_links, write_template
from runs.lifecycle import describe_run
from runs.models import ElnTemplate
from tests.factories import make_instrument, make_project, make_run, make_user
from wire.clock import now
from wire.errors import ValidationError

pytestmark = pytest.mark.django_db
DETAIL = "/api/v1/instruments/reader/runs/7"


def set_template(template):
    ElnTemplate.objects.create(template=template)


def urls(run):
    described = describe_run(instrument=run.instrument_id, run_id=run.run_id, by=caller_for_user(make_user()))
    return [link.url for link in list_links(described)]


@pytest.mark.parametrize(
    ("template", "url"),
    [
        ("https://eln.example/{sample}", "https://eln.example/LYS%204%2F%C3%A4%3Fa%3D1%23"),
        ("https://eln.example/x?run={run_id}&on={instrument}", "https://eln.example/x?run=7%261&on=reader"),
        ("http://eln.example:8080/{no}", "http://eln.example:8080/17"),
        ("https://eln.example/{missing}", None),
        ("https://eln.example/{sample}/{missing}", None),
        ("https://eln.example/{dots}", None),
        ("https://eln.example/{list}", None),
        ("https://eln.example/{flag}", None),
        ("https://eln.example/{empty}", None),
    ],
)
def test_values_are_escaped_and_what_is_missing_makes_no_link(template, url):
    set_template(template)
    facts = {"sample": "LYS 4/ä?a=1#", "no": 17, "dots": "..", "list": [1], "flag": True, "empty": " "}
    run = make_run(instrument=make_instrument(id="reader"), run_id="7&1", caller_metadata=facts)
    run.refresh_from_db()

    assert urls(run) == ([url] if url else [])


@pytest.mark.parametrize(
    "template",
    [
        "", "eln.example/{sample}", "javascript://eln.example/{sample}", "ftp://eln.example/{sample}",
        "https://{sample}/x", "https://{sample}.eln.example/", "https://eln.example{sample}/x", "https://eln.example",
        "https://eln.example/", "https://u:p@eln.example/{sample}", "https://eln.example:port/{sample}",
        "https://eln.example/{sample", "https://eln.example/{}", "https://eln.example/{a b}", "https://eln.example/{{a}}",
        "https://eln.example/ {sample}", "https://eln.example/{sample}\n", "https:///{sample}",
        "https://eln.example\\@evil.example/{sample}", "https://eln.example/{sample}" + "x" * 2_000,
    ],
)  # fmt: skip
def test_what_is_no_template_is_told(template):
    assert find_template_fault(template)


def test_the_project_s_own_goes_before():
    set_template("https://eln.example/{run_id}")
    project = make_project(eln_template="https://other.example/{run_id}")

    assert urls(make_run(run_id="7", project=project)) == ["https://other.example/7"]
    assert urls(make_run(run_id="7", project=make_project())) == ["https://eln.example/7"]


def test_without_a_template_there_is_no_link():
    assert urls(make_run()) == []


def test_rest_shows_it(as_token):
    set_template("https://eln.example/{run_id}")
    make_run(instrument=make_instrument(id="reader"), run_id="7")

    links = as_token().get(DETAIL).json()["links"]

    assert links == [{"title": "Open in ELN", "url": "https://eln.example/7"}]


def test_a_project_takes_a_template_and_refuses_what_is_none(as_token):
    api, project = as_token("runs:update"), make_project()

    taken = api.patch(f"/api/v1/projects/{project.pk}", {"eln_template": "https://eln.example/{sample}"})
    refused = api.patch(f"/api/v1/projects/{project.pk}", {"eln_template": "https://{sample}/"})

    assert taken.json()["eln_template"] == "https://eln.example/{sample}"
    assert refused.status_code == 400
    assert "eln_template" in refused.json()["error"]["details"]["fields"]


def test_an_admin_sets_it_and_takes_it_away(client):
    client.force_login(make_user(is_admin=True))

    refused = client.post("/settings/eln", {"template": "https://{sample}/"})
    client.post("/settings/eln", {"template": "https://eln.example/{sample}"})
    kept = ElnTemplate.objects.get().template
    client.post("/settings/eln", {"template": ""})

    assert refused.status_code == 400
    assert b"https://{sample}/" in refused.content
    assert kept == "https://eln.example/{sample}"
    assert not ElnTemplate.objects.exists()


def test_the_page_of_a_run_and_the_form_of_a_project(client):
    client.force_login(make_user())
    project = make_project()
    run = make_run(instrument=make_instrument(id="reader"), run_id="7", project=project)

    client.post(f"/projects/{project.pk}", {"do": "eln", "eln_template": "https://eln.example/{run_id}"})
    page = client.get(f"/instruments/{run.instrument_id}/runs/7").content.decode()

    assert 'href="https://eln.example/7"' in page
    assert "Open in ELN" in page


def test_topic_and_database_refuse_alike(refused_by):
    with pytest.raises(ValidationError):
        write_template("ftp://x/{a}", by=None, at=now())

    refused_by("eln_template_is_an_address", lambda: set_template("ftp://x/{a}"))


def test_one_eln_template(refused_by):
    refused_by("one_eln_template", lambda: ElnTemplate.objects.create(pk=2, template="https://x/{a}"))


def test_a_project_s_template_is_an_address(refused_by):
    refused_by("project_eln_template_is_an_address", lambda: make_project(eln_template="x"))
