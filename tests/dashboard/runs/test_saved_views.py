"""Saved views: a name for what the run list looks for and how it shows it."""

import re

import pytest
from django.test import Client

from accounts.trail.rows import find_trail_model
from runs.saved_views.models import SavedView
from tests.factories import make_instrument, make_run, make_user, make_view
from tests.markup import flat

pytestmark = pytest.mark.django_db


@pytest.fixture
def ines(client):
    client.user = make_user(display_name="Ines Okafor")
    client.force_login(client.user)
    return client


@pytest.fixture
def admin(client):
    client.user = make_user(display_name="Ada Admin", is_admin=True)
    client.force_login(client.user)
    return client


def as_person(**fields):
    client = Client()
    client.user = make_user(**fields)
    client.force_login(client.user)
    return client


def save(client, **said):
    return client.post("/runs/views/new", {"name": "Failures", "query": "status=failed", "next": "/runs", **said})


def menu_of(client, address="/runs"):
    page = flat(client.get(address))
    return page[page.index('<details class="menu views') : page.index("Save this view")]


def test_the_list_as_it_stands_is_saved_in_the_one_spelling_of_its_address(ines):
    answer = save(ines, query="page=3&order=desc&status=failed&columns=run&columns=size&nonsense=1")

    assert (answer.status_code, answer["Location"]) == (302, "/runs")
    view = SavedView.objects.get()
    assert (view.owner, view.name, view.is_shared, view.instrument) == (ines.user, "Failures", False, None)
    assert view.query == "status=failed&columns=run%2Csize"


def test_the_trail_tells_who_saved_a_view(ines):
    save(ines)

    row = find_trail_model(SavedView).objects.get()
    assert (row.pgh_label, row.pgh_context["kind"], row.pgh_context["name"]) == ("insert", "person", "Ines Okafor")


def test_a_whole_address_is_no_query(ines):
    save(ines, query="https://elsewhere.example/runs?status=failed")

    assert SavedView.objects.get().query == ""


def test_a_saved_view_opens_the_list_and_is_marked_there(ines):
    view = make_view(owner=ines.user, name="Failures", query="status=failed&sort=run_id")

    answer = ines.get(f"/runs/views/{view.pk}")

    assert (answer.status_code, answer["Location"]) == (302, "/runs?status=failed&sort=run_id")
    assert 'aria-current="true"' in menu_of(ines, answer["Location"])
    assert 'aria-current="true"' not in menu_of(ines, "/runs?status=stalled")


def test_the_menu_tells_own_views_and_shared_ones_of_others_with_their_names(ines):
    other = make_user(display_name="Omar Haddad")
    make_view(owner=ines.user, name="My failures")
    make_view(owner=other, name="Buffers", is_shared=True)
    make_view(owner=other, name="Secret")

    menu = menu_of(ines)

    assert re.search("Yours.*My failures.*Shared.*Buffers.*Omar Haddad", menu)
    assert "Secret" not in menu


def test_somebody_elses_private_view_is_not_there(ines):
    view = make_view()

    assert ines.get(f"/runs/views/{view.pk}").status_code == 404
    assert ines.get(f"/runs/views/{view.pk}/edit").status_code == 404
    assert ines.post(f"/runs/views/{view.pk}/edit", {"do": "delete"}).status_code == 404
    assert SavedView.objects.filter(pk=view.pk).exists()


def test_a_shared_view_is_opened_by_all_and_changed_by_its_owner_alone(ines):
    view = make_view(is_shared=True)

    assert ines.get(f"/runs/views/{view.pk}").status_code == 302
    assert ines.get(f"/runs/views/{view.pk}/edit").status_code == 403
    assert ines.post(f"/runs/views/{view.pk}/edit", {"do": "delete"}).status_code == 403


def test_an_admin_deletes_a_shared_view_and_renames_none(admin):
    view = make_view(is_shared=True, name="Buffers")

    assert "As an admin you may delete it." in flat(admin.get(f"/runs/views/{view.pk}/edit"))
    assert admin.post(f"/runs/views/{view.pk}/edit", {"name": "b"}).status_code == 403
    assert admin.post(f"/runs/views/{view.pk}/edit", {"do": "delete"}).status_code == 302
    assert not SavedView.objects.exists()


def test_a_view_is_renamed_shared_and_replaced(ines):
    view = make_view(owner=ines.user, name="Failures", query="status=failed")
    form = ines.get(f"/runs/views/{view.pk}/edit?to=status%3Dstalled").content.decode()
    assert 'value="Failures"' in form
    assert 'name="replaces"' in form

    said = {"do": "save", "name": "Stalled", "query": "status=stalled", "is_shared": "on"}
    ines.post(f"/runs/views/{view.pk}/edit", said)
    view.refresh_from_db()
    assert (view.name, view.query, view.is_shared) == ("Stalled", "status=failed", True)

    ines.post(f"/runs/views/{view.pk}/edit", {**said, "replaces": "on"})
    view.refresh_from_db()
    assert view.query == "status=stalled"


def test_a_deleted_view_is_brought_back(ines):
    view = make_view(owner=ines.user, name="Failures", query="status=failed", is_shared=True)

    ines.post(f"/runs/views/{view.pk}/edit", {"do": "delete", "next": "/runs"})
    page = ines.get("/runs").content.decode()

    assert "View Failures deleted." in page
    toast = page[page.index('class="toast') :]
    undo = dict(re.findall(r'name="([a-z_]+)" value="([^"]*)"', toast[: toast.index("</form>")]))
    ines.post("/runs/views/new", undo)
    assert SavedView.objects.values_list("name", "query", "is_shared").get() == ("Failures", "status=failed", True)


@pytest.mark.parametrize(
    ("said", "status", "told"),
    [
        ({"name": ""}, 400, "name-about"),
        ({"name": "x" * 81}, 400, "name-about"),
        ({"name": "taken"}, 409, "You have a view named taken already."),
        ({"query": f"search={'x' * 2_000}"}, 400, "The address of the list:"),
    ],
)
def test_what_is_refused_stands_beside_its_field_and_nothing_is_lost(ines, said, status, told):
    make_view(owner=ines.user, name="Taken")

    answer = save(ines, is_shared="on", **said)
    page = flat(answer)

    assert answer.status_code == status
    assert told in page
    assert 'name="is_shared" checked' in page
    assert SavedView.objects.count() == 1
    if "query" not in said:
        assert 'name="query" value="status=failed"' in page


def test_a_person_has_so_many_views_and_no_more(ines):
    SavedView.objects.bulk_create(SavedView(owner=ines.user, name=f"v{number}") for number in range(100))

    answer = save(ines)

    assert answer.status_code == 409
    assert "A person has at most 100 views." in answer.content.decode()


def test_a_view_opens_though_its_columns_and_filters_are_gone(ines):
    make_run(run_id="refold")
    refused = "status=gone&sort=gone&group_by=gone&project_id=none&ranBy=nobody"
    gone = f"nonsense=1&{refused}&metadata.od600=1&columns=run%2Cgone%2Csize"
    view = make_view(owner=ines.user, query=gone)

    answer = ines.get(f"/runs/views/{view.pk}")
    page = ines.get(answer["Location"])

    assert page.status_code == 200
    assert "columns=run%2Csize" in answer["Location"]
    assert "metadata.od600=1" in answer["Location"]
    assert "The view names what is no longer there" in page.content.decode()


def test_on_an_instruments_page_a_view_is_of_its_runs(ines):
    make_instrument(id="cary")
    mine = make_view(owner=ines.user, query="instrument_id=cary&status=failed")
    other = make_view(owner=ines.user, query="instrument_id=neo")

    assert 'name="query" value="instrument_id=cary&amp;status=failed"' in flat(
        ines.get("/instruments/cary?status=failed")
    )
    opened = ines.get(f"/runs/views/{mine.pk}?at=cary")
    assert opened["Location"] == "/instruments/cary?status=failed&view=all"
    assert 'aria-current="true"' in menu_of(ines, opened["Location"])
    assert ines.get(f"/runs/views/{mine.pk}")["Location"] == "/runs?instrument_id=cary&status=failed"
    assert ines.get(f"/runs/views/{other.pk}?at=cary")["Location"] == "/runs?instrument_id=neo"
    assert ines.get(f"/runs/views/{mine.pk}?at=//evil.example")["Location"].startswith("/runs?")


def test_an_instruments_page_begins_with_its_default_view(admin):
    make_run(instrument=make_instrument(id="cary"), run_id="refold")
    said = {"query": "instrument_id=cary&status=failed", "instrument": "cary", "is_default": "on", "is_shared": "on"}

    assert save(admin, **said).status_code == 302

    reader = as_person()
    assert reader.get("/instruments/cary")["Location"] == "/instruments/cary?status=failed&view=all"
    assert "refold" not in reader.get("/instruments/cary?status=failed&view=all").content.decode()
    whole = reader.get("/instruments/cary?view=all")
    assert "refold" in whole.content.decode()
    assert 'href="/instruments/cary?view=all">All runs</a>' in whole.content.decode()
    assert 'href="/instruments/cary?view=all" aria-label="Remove the filter Status"' in flat(
        reader.get("/instruments/cary?status=failed&view=all")
    )


def test_a_default_without_a_filter_leads_nowhere_else(admin):
    make_instrument(id="cary")
    save(admin, query="instrument_id=cary", instrument="cary", is_default="on", is_shared="on")

    assert admin.get("/instruments/cary")["Location"] == "/instruments/cary?view=all"
    assert admin.get("/instruments/cary?view=all").status_code == 200


def test_another_default_takes_the_place_of_the_first(admin):
    first = make_view(is_shared=True, query="instrument_id=cary", instrument=make_instrument(id="cary"))

    save(admin, query="instrument_id=cary", instrument="cary", is_default="on", is_shared="on")

    first.refresh_from_db()
    assert first.instrument is None
    assert SavedView.objects.get(instrument="cary").name == "Failures"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"query": "status=failed", "is_shared": "on"}, "shows its runs and no others"),
        ({"query": "instrument_id=cary"}, "is shared with everybody"),
    ],
)
def test_a_default_is_shared_and_of_its_instrument(admin, said, told):
    make_instrument(id="cary")

    answer = save(admin, instrument="cary", is_default="on", **said)

    assert answer.status_code == 400
    assert told in answer.content.decode()


def test_only_who_may_change_the_instrument_makes_or_changes_its_default(ines):
    cary = make_instrument(id="cary")
    mine = make_view(owner=ines.user, name="Mine", is_shared=True, query="instrument_id=cary", instrument=cary)
    said = {"query": "instrument_id=cary&status=failed", "instrument": "cary", "is_default": "on", "is_shared": "on"}

    assert save(ines, **said).status_code == 403
    assert ines.post(f"/runs/views/{mine.pk}/edit", {"name": "Mine", "replaces": "on", **said}).status_code == 403
    assert ines.post(f"/runs/views/{mine.pk}/edit", {**said, "name": "Renamed"}).status_code == 302
    mine.refresh_from_db()
    assert (mine.name, mine.query, mine.instrument) == ("Renamed", "instrument_id=cary", cary)


def test_a_default_of_no_instrument_is_not_there(admin):
    answer = save(admin, query="instrument_id=nowhere", instrument="nowhere", is_default="on", is_shared="on")

    assert answer.status_code == 404


def test_saving_needs_the_token_of_the_form(ines):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(ines.user)

    assert save(strict).status_code == 403
