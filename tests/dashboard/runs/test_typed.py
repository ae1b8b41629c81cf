"""Operators in the box of the run list: filters that can be taken off, and what is said of those that fail."""

import re
from datetime import timedelta
from html import unescape

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from runs.models import Claim
from tests.factories import make_file, make_group, make_instrument, make_run, make_user
from tests.markup import flat
from wire.clock import now

pytestmark = pytest.mark.django_db


@pytest.fixture
def ines(client):
    client.user = make_user(display_name="Ines Okafor")
    client.force_login(client.user)
    return client


@pytest.fixture
def anna():
    return make_user(display_name="Anna Kowalczyk")


def ask(client, text, path="/runs", **more):
    return client.get(path, {"search": text} | more)


def names(response):
    return sorted(re.findall(r'<a class="mono"[^>]*>([^<]+)</a>', flat(response)))


def chips(response):
    return re.findall(r'aria-label="Remove what was typed: ([^"]*)"', flat(response))


def faults(response):
    return [
        unescape(re.sub(r"<[^>]*>", "", told)).strip()
        for told in re.findall(r'<p class="told-wrong" role="alert">.*?</svg>(.*?)</p>', flat(response))
    ]


@pytest.mark.parametrize("beside", ["", "by:anna "])
def test_a_word_like_a_fact_that_is_in_no_name_is_offered_as_one(ines, anna, beside):
    run = make_run(caller_metadata={"technique": "FT-IR"})
    Claim.objects.create(run=run, user=anna)

    shown = flat(ask(ines, f"{beside}technique:FT-IR"))

    address, text = re.search(r'Was <a href="([^"]*)"><code>([^<]*)</code>', shown).groups()
    assert text == "metadata.technique:FT-IR"
    assert names(ines.get(unescape(address))) == [run.run_id]
    assert "meant?" not in flat(ask(ines, "nothing like it"))


def plant(anna):
    neo, cary = make_instrument(id="neo2", display_name="Synergy Neo2"), make_instrument(id="cary", display_name="Cary")
    good = make_run(
        instrument=neo, run_id="lyso-1", tags=["qc"], caller_metadata={"sample": "LYS-1", "od600": 1.5},
        acquired_at=now() - timedelta(days=1),
    )  # fmt: skip
    make_file("a.csv", run=good, status="failed")
    Claim.objects.create(run=good, user=anna)
    make_run(instrument=cary, run_id="lyso-2", caller_metadata={"sample": "XLYS", "od600": 0.5})
    make_run(instrument=cary, run_id="other", acquired_at=now() - timedelta(days=400))


@pytest.mark.parametrize(
    ("text", "found", "shown"),
    [
        ("instrument:neo", ["lyso-1"], "Instrument Synergy Neo2"),
        ("by:anna", ["lyso-1"], "Ran by Anna Kowalczyk"),
        ("by:kowal", ["lyso-1"], "Ran by Anna Kowalczyk"),
        ("by:nobody", ["lyso-2", "other"], "Ran by nobody yet"),
        ("by:me", [], "Ran by me"),
        ("is:FAILED", ["lyso-1"], "Status failed"),
        ("tag:QC", ["lyso-1"], "Tag qc"),
        ("sample:LYS*", ["lyso-1"], "sample LYS*"),
        ("sample:*LYS*", ["lyso-1", "lyso-2"], "sample contains LYS"),
        ("od600>1", ["lyso-1"], "od600 &gt; 1"),
        ("since:2026-01-01 until:today lyso", ["lyso-1", "lyso-2"], "Since 2026-01-01"),
        ("last 30 days", ["lyso-1", "lyso-2"], "Last 30 days"),
    ],
)
def test_an_operator_is_a_filter_and_a_chip(ines, anna, text, found, shown):
    plant(anna)

    response = ask(ines, text)

    assert names(response) == found
    assert chips(response)[0].startswith(shown)
    assert faults(response) == []


def test_all_of_them_together(ines, anna):
    plant(anna)

    response = ask(ines, "instrument:neo by:anna status:failed tag:qc sample:LYS* od600>1 since:yesterday lyso")

    assert names(response) == ["lyso-1"]
    assert len(chips(response)) == 7


def test_times_narrow_each_other_and_those_that_are_chosen(ines, anna):
    plant(anna)

    assert names(ask(ines, "since:2020-01-01 last 3 days")) == ["lyso-1", "lyso-2"]
    assert names(ask(ines, "last 500 days", date_from=f"{now() - timedelta(days=3):%Y-%m-%d}")) == ["lyso-1", "lyso-2"]
    assert names(ask(ines, "last 500 days until:2026-01-01")) == names(ask(ines, "until:2026-01-01 last 500 days"))


def test_a_chip_takes_its_operator_out_of_the_box_and_leaves_the_rest(ines, anna):
    plant(anna)

    page = flat(ask(ines, "lyso by:anna tag:qc", status="failed"))

    href = re.search(r'href="([^"]*)" aria-label="Remove what was typed: Ran by', page)[1].replace("&amp;", "&")
    assert href == "/runs?search=lyso+tag%3Aqc&status=failed"


def test_the_only_operator_leaves_nothing(ines, anna):
    plant(anna)

    page = flat(ask(ines, "tag:qc"))

    assert 'href="/runs" aria-label="Remove what was typed: Tag qc"' in page


def test_what_was_typed_stays_in_the_box(ines, anna):
    assert 'value="by:anna &quot;a b&quot;"' in flat(ask(ines, 'by:anna "a b"'))


@pytest.mark.parametrize("text", ["lyso", "two words", "od600>x", "a:b", "say:anna"])
def test_plain_words_ask_the_very_same_question(ines, anna, text, monkeypatch):
    """As without operators: the same statements of the database, with the same values."""
    plant(anna)
    ask(ines, text)
    with CaptureQueriesContext(connection) as now_asked:
        ask(ines, text)
    monkeypatch.setattr("dashboard.runs.typed.understand", lambda query, **_: type("Plain", (), {"query": query}))
    with CaptureQueriesContext(connection) as before:
        ask(ines, text)

    runs = [[one["sql"] for one in asked if "runs_run" in one["sql"]] for asked in (now_asked, before)]
    assert runs[0] == runs[1]
    assert len(now_asked) == len(before)


def test_a_day_alone_is_an_operator(ines, anna):
    plant(anna)

    answer = ask(ines, "yesterday")

    assert names(answer) == ["lyso-1"]
    assert chips(answer) == [f"Yesterday {now().date() - timedelta(days=1)}"]


def test_words_that_no_name_has_are_answered_with_operators(ines):
    answer = ask(ines, "od over 1").content.decode()

    assert "Words in the box are looked for in names." in answer
    assert 'href="/runs?q=od+over+1"' in answer
    assert "od600&gt;1 by:anna yesterday" in answer


def test_words_in_quotation_marks_are_looked_for_as_they_stand(ines):
    make_run(run_id="after last week")
    make_run(run_id="week, the last")

    assert names(ask(ines, '"last week"')) == ["after last week"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("by:anan", 'by:anan was left out: nobody of that name has claimed a run. by:"Anna Kowalczyk"?'),
        ("by:zzz", "by:zzz was left out: nobody of that name has claimed a run."),
        (
            "instrument:sinergy",
            'instrument:sinergy was left out: no instrument is called so. instrument:"Synergy Neo2"?',
        ),
        ("status:faild", "status:faild was left out: there is no such status. status:failed?"),
        ("tag:a_b", "tag:a_b was left out: tags are of a-z, 0-9 and hyphens."),
        ("by:", "by: was left out: it names nothing."),
        ("last 0 days", "last 0 days was left out: it is no time that has been."),
    ],
)  # fmt: skip
def test_what_is_not_known_is_left_out_and_told_with_what_may_be_meant(ines, anna, text, told):
    plant(anna)

    response = ask(ines, text)

    assert faults(response) == [told]
    assert names(response) == ["lyso-1", "lyso-2", "other"]


def test_a_day_that_is_none_is_told(ines):
    [told] = faults(ask(ines, "since:soon"))

    assert told.startswith("since:soon was left out: it is no day: 2026-11-14")


def test_of_several_people_each_is_offered(ines, anna):
    plant(anna)
    Claim.objects.create(run=make_run(), user=make_user(display_name="Annabel Li"))

    response = ask(ines, "by:ann")

    assert faults(response) == [
        'by:ann was left out: several people are called so. by:"Anna Kowalczyk", by:"Annabel Li"?'
    ]
    assert "search=by%3A%22Annabel+Li%22" in flat(response)


def test_people_and_instruments_that_one_does_not_see_are_not_told_of(ines, anna):
    hidden = make_instrument(id="secret", display_name="Secretron", visibility="groups")
    make_group(make_user(), instruments=[hidden])
    Claim.objects.create(run=make_run(instrument=hidden), user=anna)

    response = ask(ines, "instrument:secret by:anna")

    assert "Secretron" not in flat(response)
    assert "Kowalczyk" not in flat(response)
    assert len(faults(response)) == 2


def test_the_list_of_one_instrument_takes_no_other(ines, anna):
    plant(anna)

    response = ask(ines, "instrument:cary tag:qc", path="/instruments/neo2", view="all")

    assert faults(response) == ["instrument:cary was left out: this list is of one instrument."]
    assert names(response) == ["lyso-1"]


def test_rest_looks_for_the_text_as_it_stands(as_token):
    make_run(run_id="tag:qc")
    make_run(run_id="other", tags=["qc"])

    found = as_token("runs:read").get("/api/v1/instrument-runs?search=tag:qc").json()["data"]

    assert [run["run_id"] for run in found] == ["tag:qc"]


def test_hostile_texts_are_escaped_in_what_is_told(ines):
    page = ask(ines, 'by:<b>x tag:"><i>').content.decode()

    assert "<b>x" not in page
    assert "<i>" not in page
