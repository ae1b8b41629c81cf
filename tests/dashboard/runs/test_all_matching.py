"""What is done to all runs that match: asked first, a part at a time, taken back at once."""

import re

import pytest

from dashboard.runs import batches
from runs.holds.models import Hold
from runs.models import Claim, Run
from tests.factories import make_instrument, make_run, make_user
from wire.clock import now

pytestmark = pytest.mark.django_db
SELECTION, MATCHING = "/runs/selection", "/runs/selection/matching"
HTMX = {"HX-Request": "true"}


@pytest.fixture
def mira(client):
    person = make_user()
    client.force_login(person)
    return person


def hidden(page, *, form):
    """The inputs of the form that posts there, as a browser would send them."""
    begin = page.index(f'action="{form}"')
    pairs = re.findall(r'name="([a-z_]+)" value="([^"]*)"', page[begin : page.index("</form>", begin)])
    return {name: value.replace("&amp;", "&") for name, value in pairs if name not in ("csrfmiddlewaretoken", "stop")}


def ask(client, query, **said):
    answer = client.post(SELECTION, {"all": "1", "matching": query, "next": "/runs", **said})
    assert answer.status_code == 200, answer.content
    return answer.content.decode()


def go_on(client, page):
    """To the end; how many steps it took."""
    steps = 0
    while True:
        steps += 1
        answer = client.post(MATCHING, hidden(page, form=MATCHING))
        if answer.status_code == 302:
            return steps
        page = answer.content.decode()


@pytest.mark.parametrize(
    ("form", "question"),
    [
        ({"do": "untag", "tag": "qc"}, "Remove the tag qc from 2 runs"),
        ({"do": "tag", "tag": "qc"}, "Add the tag qc to 2 runs"),
        ({"do": "unclaim"}, "Unclaim 2 runs"),
        ({"do": "reprocess"}, "Read 2 runs again"),
        ({"do": "project", "project_id": ""}, "Take 2 runs out of their project"),
    ],
)
def test_the_question_and_its_button_say_what_will_be_done(client, mira, form, question):
    for number in range(2):
        make_run(run_id=f"refold-{number}")

    page = ask(client, "search=refold", **form)

    assert f"<h1>{question}?</h1>" in page
    assert f">{question}</button>" in page


def test_all_that_match_are_deleted_step_by_step_and_undone(client, mira, monkeypatch):
    monkeypatch.setattr(batches, "STEP", 2)
    kept = make_run(run_id="other")
    for number in range(5):
        make_run(run_id=f"refold-{number}")

    page = ask(client, "search=refold", do="delete")
    assert "Delete 5 runs?" in page
    assert Run.objects.active().count() == 6

    assert go_on(client, page) == 3
    assert [run.pk for run in Run.objects.active()] == [kept.pk]

    told = client.get("/runs").content.decode()
    assert "5 runs deleted." in told
    undo = hidden(told[told.index('class="toast') :], form=MATCHING)
    step = client.post(MATCHING, undo)
    while step.status_code == 200:
        step = client.post(MATCHING, hidden(step.content.decode(), form=MATCHING))
    assert Run.objects.active().count() == 6


def test_undo_leaves_deleted_what_was_deleted_before(client, mira):
    before = make_run(run_id="refold-old", deleted_at=now(), deleted_by=mira)
    make_run(run_id="refold-new")
    go_on(client, ask(client, "search=refold", do="delete"))
    told = client.get("/runs").content.decode()

    client.post(MATCHING, hidden(told[told.index('class="toast') :], form=MATCHING))

    before.refresh_from_db()
    assert before.deleted_at is not None
    assert Run.objects.active().count() == 1


def test_what_cannot_be_deleted_is_told_by_name(client, mira):
    held = make_run(run_id="refold-held")
    Hold.objects.create(run=held, reason="A patent is asked for.", placed_by=mira)
    make_run(run_id="refold-free")

    go_on(client, ask(client, "search=refold", do="delete"))

    told = client.get("/runs").content.decode()
    assert "1 run deleted." in told
    assert "Not done: refold-held:" in told


def test_all_that_match_are_claimed_and_unclaimed(client, mira):
    mine = make_run(run_id="refold-mine")
    Claim.objects.create(run=mine, user=mira)
    make_run(run_id="refold-free")
    go_on(client, ask(client, "search=refold", do="claim"))
    assert Claim.objects.filter(user=mira).count() == 2
    told = client.get("/runs").content.decode()

    client.post(MATCHING, hidden(told[told.index('class="toast') :], form=MATCHING))

    assert [claim.run_id for claim in Claim.objects.filter(user=mira)] == [mine.pk]


def test_tags_are_put_on_all_and_nothing_is_undone(client, mira):
    make_run(run_id="refold")

    page = ask(client, "search=refold", do="tag", tag="qc")
    go_on(client, page)

    assert "It cannot be undone." in page
    assert Run.objects.get().tags == ["qc"]


def test_on_the_page_of_an_instrument_no_other_runs_are_meant(client, mira):
    make_run(run_id="here", instrument=make_instrument(id="cary", display_name="Cary"))
    make_run(run_id="there", instrument=make_instrument(id="neo", display_name="Neo"))

    page = ask(client, "search=instrument:neo", do="delete", matching_on="cary")

    assert "Delete 1 run?" in page


def test_what_came_later_is_left_alone(client, mira):
    make_run(run_id="refold-1")
    page = ask(client, "search=refold", do="delete")
    later = make_run(run_id="refold-2", created_at=now())

    go_on(client, page)

    later.refresh_from_db()
    assert later.deleted_at is None


def test_it_can_be_stopped(client, mira):
    make_run(run_id="refold")
    fields = hidden(ask(client, "search=refold", do="delete"), form=MATCHING)

    answer = client.post(MATCHING, fields | {"stop": "1"}, headers=HTMX)

    assert answer["HX-Redirect"] == "/runs"
    assert Run.objects.active().count() == 1


def test_too_many_are_said_before(client, mira, monkeypatch):
    monkeypatch.setattr(batches, "MAX_MATCHING", 1)
    make_run(run_id="a")
    make_run(run_id="b")

    assert "More than 1 match" in ask(client, "", do="delete")


@pytest.mark.parametrize(
    "wrong",
    [
        {"begun": "yesterday"},
        {"begun": "2020-01-01T00:00:00+00:00"},
        {"begun": "2020-01-01T00:00:00"},
        {"behind": "x"},
        {"done": "many"},
        {"all": ""},
        {"change": "explode", "changed_at": "2026-01-01T00:00:00+00:00"},
    ],
)
def test_a_form_that_was_changed_is_refused(client, mira, wrong):
    make_run(run_id="refold")
    fields = hidden(ask(client, "search=refold", do="delete"), form=MATCHING)

    assert client.post(MATCHING, fields | wrong).status_code == 400
    assert Run.objects.active().count() == 1


def test_a_step_costs_a_few_queries_a_run(client, mira, django_assert_max_num_queries):
    for number in range(20):
        make_run(run_id=f"refold-{number}")
    fields = hidden(ask(client, "search=refold", do="tag", tag="qc"), form=MATCHING)

    with django_assert_max_num_queries(20 * 6 + 20):
        client.post(MATCHING, fields)


def test_more_than_three_hundred_are_not_picked_one_by_one(client, mira):
    keys = [f"cary/run-{number}" for number in range(301)]

    answer = client.post(SELECTION, {"do": "delete", "run": keys})

    assert answer.status_code == 400
    assert "Up to 300 runs are picked one by one" in answer.content.decode()


def test_the_list_offers_all_where_there_is_more_than_a_page(client, mira, monkeypatch):
    monkeypatch.setattr("dashboard.runs.lists.PER_PAGE", 2)
    for _ in range(3):
        make_run()

    assert "All 3 that match" in client.get("/runs").content.decode()
    monkeypatch.setattr("dashboard.runs.lists.MAX_MATCHING", 2)
    assert "To pick all, narrow it to 2" in client.get("/runs").content.decode()
