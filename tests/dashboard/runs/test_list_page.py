"""/runs: the search as a page. Its filters are the API's; what is tested here is the page around them."""

import re
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from django.utils.timezone import localdate

from processing.models import ProcessingJob
from runs.models import Claim
from tests.factories import make_comment, make_file, make_instrument, make_run, make_thumbnail, make_user
from tests.markup import flat
from wire.clock import now

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


@pytest.fixture
def ines(client):
    """Signed in as the person it answers."""
    person = make_user(display_name="Ines Okafor")
    client.force_login(person)
    return person


@pytest.fixture
def shown(client, ines):
    """shown("?status=failed") are the names of the runs on the page, in order."""

    def names(query=""):
        response = client.get(f"/runs{query}")
        assert response.status_code == 200, response.content
        return re.findall(r'<a class="mono" href="[^"]*" title="([^"]*)"', response.content.decode())

    return names


def test_words_that_are_looked_for_anywhere_are_a_chip_that_is_kept_and_taken_off(client, shown):
    make_run(run_id="refold", caller_metadata={"serial_number": "MY1420A017"})
    make_run(run_id="blank")

    assert shown("?q=my1420") == ["refold"]
    page = flat(client.get("/runs?q=my1420&status=empty"))
    assert '<span>Anywhere</span><span class="v">my1420</span>' in page
    assert 'href="/runs?status=empty" aria-label="Remove the words my1420"' in page
    assert '<input type="hidden" name="q" value="my1420">' in page


def test_a_stranger_is_asked_to_sign_in_first(client):
    response = client.get("/runs?status=failed")

    assert (response.status_code, response["Location"]) == (302, "/accounts/login/?next=/runs%3Fstatus%3Dfailed")


def test_every_filter_of_the_search_narrows_the_page(shown, ines):
    run = make_run(run_id="refold", caller_metadata={"buffer": "Tris"}, acquired_at="2026-01-02T10:00Z")
    make_file(run=run, status="failed")
    Claim.objects.create(run=run, user=ines)
    make_run(run_id="other", acquired_at="2026-02-02T10:00Z")

    for query in (
        "?search=REF",
        f"?instrument_id={run.instrument_id}",
        "?status=failed&status=stalled",
        "?ranBy=me",
        "?date_from=2026-01-01&date_to=2026-01-31",
        "?metadata.buffer=Tris",
    ):
        assert shown(query) == ["refold"]


def test_the_newest_run_comes_first_and_headings_sort(client, shown):
    make_run(run_id="a", acquired_at="2026-01-02T10:00Z")
    make_run(run_id="b", acquired_at="2026-01-01T10:00Z")

    assert shown() == ["a", "b"]
    assert shown("?sort=run_id") == ["b", "a"]
    assert "?sort=run_id&amp;order=asc" in client.get("/runs").content.decode()


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("?search=&status=failed&date_from=&page=1&order=desc", "/runs?status=failed"),
        ("?fact=buffer&value=Tris", "/runs?metadata.buffer=Tris"),
        ("?fact=buffer&value=Tris&metadata.buffer=Tris", "/runs?metadata.buffer=Tris"),
        ("?fact=od600&compared=gt&value=1", "/runs?metadata%5Bod600%5D%5Bgt%5D=1"),
        ("?compared=gt&value=1", "/runs"),
        ("?fact=od600&compared=near&value=1", "/runs?metadata.od600=1"),
        ("?nonsense=1", "/runs"),
    ],
)
def test_a_form_leads_to_the_one_spelling_of_its_address(client, ines, asked, answered):
    response = client.get(f"/runs{asked}")

    assert (response.status_code, response["Location"]) == (302, answered)


def test_htmx_gets_the_part_that_changes_and_the_address(client, ines):
    make_run(run_id="refold")

    response = client.get("/runs?search=ref&status=", headers=HTMX)
    page = response.content.decode()

    assert response["HX-Push-Url"] == "/runs?search=ref"
    assert "refold" in page
    assert "<html" not in page
    assert 'hx-swap-oob="true"' in page


def test_a_chip_tells_its_filter_and_takes_it_off(client, ines):
    neo = make_instrument(id="neo", display_name="Synergy Neo2")

    page = client.get(f"/runs?instrument_id={neo.pk}&status=failed").content.decode()

    assert '<span class="v">Synergy Neo2</span>' in page
    assert '<a class="off" href="/runs?status=failed" aria-label="Remove the filter Instrument">' in page


def test_a_row_tells_why_a_run_is_not_done_who_ran_it_and_how_much_it_is(client, ines):
    run = make_run(run_id="refold")
    make_file(run=run, status="failed", size_bytes=1_500_000)
    make_file(run=run, status="completed", size_bytes=500_000)
    make_comment(run=run)
    Claim.objects.create(run=run, user=ines)

    page = client.get("/runs").content.decode()

    assert "1 of 2 files could not be read." in page
    assert 'title="Ines Okafor"' in page
    assert ">2.0 MB<" in page
    assert 'data-allows="unclaim download combine reprocess tag untag project compare delete"' in page


def test_pages_follow_each_other(client, shown):
    instrument = make_instrument()
    for number in range(51):
        make_run(instrument=instrument, acquired_at=f"2026-01-01T10:{number:02}Z")

    assert len(shown()) == 50
    assert len(shown("?page=2")) == 1
    assert "1–50 of 51" in client.get("/runs").content.decode()  # noqa: RUF001 (a range)
    assert "This page is past the end" in client.get("/runs?page=3").content.decode()


def test_an_empty_list_says_what_to_do_next(client, ines):
    empty = flat(client.get("/runs"))
    narrowed = client.get("/runs?search=x").content.decode()

    assert '<a class="btn" href="/watchers/connect">Three steps to the first run</a>' in empty
    assert client.get("/watchers/connect").status_code == 200
    assert "No run has that in its name" in narrowed


def test_a_bad_filter_is_refused_in_the_clothes_of_a_page(client, ines):
    response = client.get("/runs?status=broken")

    assert response.status_code == 400
    assert "This cannot be read" in response.content.decode()


def test_the_options_of_the_one_instrument_lead_to_runs_alike(client, ines):
    run = make_run(caller_metadata={"wave length": "x", "wavelength_nm": 280, "buffer": "50 mM Tris & co"})

    page = client.get(f"/runs/options?instrument_id={run.instrument_id}&status=empty", headers=HTMX).content.decode()

    assert f"/runs?instrument_id={run.instrument_id}&amp;status=empty&amp;metadata.wavelength_nm=280" in page
    assert "metadata.buffer=50%20mM%20Tris%20%26%20co" in page
    assert "wave length" not in page


def test_the_page_asks_few_questions_however_many_runs_there_are(client, ines, django_assert_num_queries):
    instrument = make_instrument()
    for _ in range(30):
        run = make_run(instrument=instrument)
        make_file(run=run, status="completed")
        make_thumbnail(run=run)
    client.get("/runs")

    with django_assert_num_queries(12):
        client.get("/runs")
    with django_assert_num_queries(12):
        client.get("/runs?status=completed&search=run")


def test_names_with_odd_signs_are_escaped_and_found(client, ines):
    make_run(run_id='50% <i>"x"&y#z?ü<i>')

    page = client.get("/runs").content.decode()
    href = re.search(r'<a class="mono" href="([^"]+)"', page)[1]

    assert "<i>" not in page
    assert client.get(href).status_code == 200


def test_picked_runs_are_deleted_and_undone(client, ines):
    runs = [make_run(), make_run()]
    keys = [f"{run.instrument_id}/{run.run_id}" for run in runs]

    answer = client.post("/runs/selection", {"do": "delete", "run": keys, "next": "/runs?search=run"})
    page = client.get(answer["Location"]).content.decode()

    assert answer["Location"] == "/runs?search=run"
    assert "2 runs deleted." in page
    assert '<input type="hidden" name="do" value="restore">' in page
    for run in runs:
        run.refresh_from_db()
    assert [run.deleted_by for run in runs] == [ines, ines]

    client.post("/runs/selection", {"do": "restore", "run": keys})

    runs[0].refresh_from_db()
    assert runs[0].deleted_at is None


def test_picked_runs_are_read_again(client, ines):
    file = make_file("a.jdx", status="failed")

    client.post("/runs/selection", {"do": "reprocess", "run": f"{file.run.instrument_id}/{file.run.run_id}"})

    assert list(ProcessingJob.objects.values_list("file", flat=True)) == [file.pk]
    assert "Run being read again." in client.get("/runs").content.decode()


def test_a_notice_is_told_once(client, ines):
    run = make_run()

    client.post("/runs/selection", {"do": "claim", "run": f"{run.instrument_id}/{run.run_id}"})

    assert "Run claimed." in client.get("/runs").content.decode()
    assert "Run claimed." not in client.get("/runs").content.decode()


def test_what_cannot_be_done_is_told_with_its_reason(client, ines):
    gone = make_run(run_id="gone", deleted_at=now(), deleted_by=make_user())

    client.post("/runs/selection", {"do": "claim", "run": f"{gone.instrument_id}/gone"})

    assert "gone: The run is deleted. Restore it first." in client.get("/runs").content.decode()


@pytest.mark.parametrize("key", ["", "neo", "neo/", "/x", "NEO/x", "neo/..", "neo/a/b", "neo/ x"])
def test_keys_of_runs_that_cannot_be_are_not_found(client, ines, key):
    assert client.post("/runs/selection", {"do": "delete", "run": key}).status_code == 404


def test_an_unknown_action_is_refused(client, ines):
    assert client.post("/runs/selection", {"do": "explode"}).status_code == 400


@pytest.mark.parametrize(
    "elsewhere", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"]
)
def test_a_form_never_leads_to_another_host(client, ines, elsewhere):
    run = make_run()

    answer = client.post(
        "/runs/selection", {"do": "claim", "run": f"{run.instrument_id}/{run.run_id}", "next": elsewhere}
    )

    assert answer["Location"] == "/runs"


def test_several_runs_are_downloaded_from_a_page_of_their_own(client, ines):
    answer = client.post("/runs/selection", {"do": "download", "run": ["neo/a", "neo/b"]})

    target = urlsplit(answer["Location"])
    assert (target.path, parse_qs(target.query)) == ("/downloads", {"run": ["neo/a", "neo/b"]})


def test_a_form_from_elsewhere_changes_nothing(ines):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(ines)
    run = make_run()

    answer = strict.post("/runs/selection", {"do": "delete", "run": f"{run.instrument_id}/{run.run_id}"})

    run.refresh_from_db()
    assert (answer.status_code, run.deleted_at) == (403, None)


def test_of_very_many_instruments_the_first_and_the_chosen_are_offered(client, ines, monkeypatch):
    monkeypatch.setattr("dashboard.runs.lists.MAX_MENU_INSTRUMENTS", 2)
    names = [make_instrument(display_name=f"Reader {number}").pk for number in range(4)]

    page = flat(client.get(f"/runs?instrument_id={names[3]}"))

    offered = re.findall(r'name="instrument_id" value="([^"]+)"', page)
    assert set(offered) == {names[0], names[1], names[3]}
    assert "Find another" in page
    assert "Reader 3" in page


def test_a_list_that_refreshes_itself_leaves_no_trail_in_the_history(client, ines):
    response = client.get("/runs?search=ref", headers=HTMX | {"HX-Current-URL": "http://testserver/runs?search=ref"})

    assert "HX-Push-Url" not in response


def test_one_click_asks_for_the_runs_of_yesterday(client, ines):
    today = localdate()
    day = f"{today - timedelta(days=1)}"

    page = flat(client.get("/runs"))

    assert f'href="/runs?date_from={day}&amp;date_to={day}">Yesterday</a>' in page
    assert '<span class="v">Yesterday</span>' in flat(client.get(f"/runs?date_from={day}&date_to={day}"))
