"""The run list in groups: whole groups where there are few runs, page by page where there are many."""

import re
from datetime import UTC, datetime

import pytest

from runs import search
from tests.factories import make_instrument, make_run, make_user
from tests.markup import flat

pytestmark = pytest.mark.django_db


@pytest.fixture
def ines(client):
    client.user = make_user(display_name="Ines Okafor")
    client.force_login(client.user)
    return client


@pytest.fixture
def reader():
    return make_instrument(id="reader", display_name="Reader")


def headings(response):
    """[(title, what it says of its size, the names of its runs)]"""
    return [
        (
            re.search(r'<bdi class="name[^"]*">(.*?)</bdi>', part)[1],
            re.search(r'<span class="muted small"> ?(.*?) ?</span>', part)[1],
            re.findall(r'<a class="mono"[^>]*>([^<]+)</a>', part),
        )
        for part in flat(response).split("<tbody>")[1:]
    ]


def plant(reader, *samples):
    for number, sample in enumerate(samples):
        facts = {"sample": sample} if sample else {}
        day = datetime(2026, 3, 1 + number, tzinfo=UTC)
        make_run(instrument=reader, run_id=f"r{number}", caller_metadata=facts, acquired_at=day)


def test_runs_of_a_sample_stand_together_and_those_without_one_last(ines, reader):
    plant(reader, "B", "", "A", "B")

    assert headings(ines.get("/runs?group_by=metadata.sample")) == [
        ("A", "1 run", ["r2"]),
        ("B", "2 runs", ["r3", "r0"]),
        ("Without sample", "1 run", ["r1"]),
    ]


def test_sample_is_short_for_that_of_the_metadata(ines):
    response = ines.get("/runs?group_by=sample")

    assert response["Location"] == "/runs?group_by=metadata.sample"


def test_days_are_the_newest_first(ines, reader):
    for hour, name in ((9, "a"), (10, "b"), (33, "c")):
        time = datetime(2026, 3, 1 + hour // 24, hour % 24, tzinfo=UTC)
        make_run(instrument=reader, run_id=name, acquired_at=time)

    assert headings(ines.get("/runs?group_by=day&sort=run_id&order=asc")) == [
        ("Monday, 2 March 2026", "1 run", ["c"]),
        ("Sunday, 1 March 2026", "2 runs", ["a", "b"]),
    ]


def test_instruments_are_in_the_order_of_their_names(ines):
    for name, shown in (("z1", "Alpha"), ("a1", "beta")):
        make_run(instrument=make_instrument(id=name, display_name=shown), run_id=name)

    assert [title for title, *_ in headings(ines.get("/runs?group_by=instrument"))] == ["Alpha", "beta"]


def test_a_run_stands_with_whoever_claimed_it_first(ines, reader):
    first, second = make_user(display_name="Anna Kowalczyk"), make_user(display_name="Bo Li")
    run = make_run(instrument=reader, run_id="both")
    for person in (second, first):
        run.claims.create(user=person)
    make_run(instrument=reader, run_id="none")
    make_run(instrument=reader, run_id="hers").claims.create(user=first)

    assert headings(ines.get("/runs?group_by=person")) == [
        ("Anna Kowalczyk", "1 run", ["hers"]),
        ("Bo Li", "1 run", ["both"]),
        ("Nobody yet", "1 run", ["none"]),
    ]


def test_tags_that_stand_together_are_a_group(ines, reader):
    for name, tags in (("a", ["qc"]), ("b", ["qc", "redo"]), ("c", [])):
        make_run(instrument=reader, run_id=name, tags=tags)

    assert [(title, names) for title, _, names in headings(ines.get("/runs?group_by=tag"))] == [
        ("qc", ["a"]),
        ("qc, redo", ["b"]),
        ("No tag", ["c"]),
    ]


def test_a_group_goes_on_on_the_next_page_and_says_how_many_it_has(ines, reader):
    plant(reader, "A", "B", "A", "A")

    first = ines.get("/runs?group_by=metadata.sample&per_page=2")
    second = ines.get("/runs?group_by=metadata.sample&page=2&per_page=2")

    assert headings(first) == [("A", "2 of 3 runs", ["r3", "r2"])]
    assert headings(second) == [("A", "1 of 3 runs", ["r0"]), ("B", "1 run", ["r1"])]
    assert '<a class="small" href="/runs?per_page=2&amp;metadata.sample=A">All of them</a>' in flat(first).replace(
        "metadata.sample=A&amp;per_page=2", "per_page=2&amp;metadata.sample=A"
    )


def test_of_many_runs_each_page_is_grouped_for_itself_and_nothing_is_counted(ines, reader, monkeypatch):
    monkeypatch.setattr(search, "MAX_SORTED_MATCHES", 3)
    plant(reader, "A", "B", "A", "B")

    assert headings(ines.get("/runs?group_by=metadata.sample&per_page=3")) == [
        ("B", "2 runs on this page", ["r3", "r1"]),
        ("A", "1 run on this page", ["r2"]),
    ]


def test_what_is_filtered_counts_and_no_more(ines, reader):
    plant(reader, "A", "A")
    make_run(instrument=make_instrument(), caller_metadata={"sample": "A"})

    assert headings(ines.get("/runs?instrument_id=reader&group_by=metadata.sample"))[0][1] == "2 runs"


def test_the_list_of_one_instrument_is_grouped_too(ines, reader):
    plant(reader, "A", "B")

    page = ines.get("/instruments/reader?group_by=metadata.sample&view=all")

    assert [title for title, *_ in headings(page)] == ["A", "B"]


def test_a_list_is_not_grouped_by_what_there_is_not(ines):
    make_run()

    response = ines.get("/runs?group_by=colour")

    assert response.status_code == 400
    assert "One of sample, day, instrument, person, tag or metadata." in response.content.decode()


def test_a_group_folds_by_a_box_that_is_never_sent(ines, reader):
    plant(reader, "<b>")

    assert '<input class="sr" type="checkbox" aria-label="Fold &lt;b&gt;">' in flat(
        ines.get("/runs?group_by=sample", follow=True)
    )
