"""Where the links around the list of runs lead: filters change in place, other pages open whole, nothing is lost."""

import re

import pytest

from tests.factories import make_instrument, make_run, make_user
from tests.markup import flat

pytestmark = pytest.mark.django_db
LINK = re.compile(r'<a\b[^>]*href="([^"]*)"[^>]*>')


@pytest.fixture(autouse=True)
def ines(client):
    client.force_login(make_user())


def filters_of(page):
    """The links of the filters and their menus, as (address, whether htmx follows them in place)."""
    chips = page[page.index('id="chips"') : page.index("</form>", page.index('id="chips"'))]
    return [(found[1], 'hx-boost="false"' not in found[0]) for found in LINK.finditer(chips)]


def test_every_filter_is_taken_off_in_place(client):
    make_run(run_id="refold-1")
    query = "search=is:completed+on:neo+ref&status=failed&tag=qc&metadata.buffer=tris&include_deleted=true"

    links = filters_of(flat(client.get(f"/runs?{query}")))

    assert len(links) > 8
    assert [address for address, is_in_place in links if not is_in_place] == ["/projects"]  # another page


def test_a_link_of_a_menu_that_leads_to_another_page_opens_it_whole(client, monkeypatch):
    monkeypatch.setattr("dashboard.runs.lists.MAX_MENU_INSTRUMENTS", 2)
    for number in range(3):
        make_instrument(display_name=f"Reader {number}")

    links = filters_of(flat(client.get("/runs")))

    assert ("/instruments", False) in links
    assert all(address.partition("?")[0] == "/runs" for address, is_in_place in links if is_in_place)


def test_a_page_past_the_end_leads_back_to_the_same_list(client):
    make_run(run_id="refold-1")

    page = flat(client.get("/runs?search=refold&density=compact&page=9"))

    assert '<a class="btn" href="/runs?search=refold&amp;density=compact">Back to the first</a>' in page


def test_taking_off_all_filters_of_an_empty_list_keeps_how_it_is_shown(client):
    page = flat(client.get("/runs?status=failed&density=compact"))

    assert '<a class="btn" href="/runs?density=compact">Clear all filters</a>' in page


@pytest.mark.parametrize(
    ("query", "leaving"),
    [
        ("search=refold", ""),
        ("tag=qc", "untag"),
        ("search=tag:qc", "untag"),
        ("ranBy=me", "unclaim"),
        ("ranBy=unattributed", "claim"),
        ("status=completed", "reprocess"),
    ],
)
def test_the_list_knows_what_takes_runs_out_of_it(client, query, leaving):
    page = flat(client.get(f"/runs?{query}"))

    assert re.search(r'data-leaving="([^"]*)"', page)[1].split() == ["delete", "restore", *leaving.split()]
