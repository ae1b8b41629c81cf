"""People edit what stands about a run: kinds of values, taking away, and two who do it at once."""

from html.parser import HTMLParser

import pytest

from runs.models import Run
from tests.factories import make_run, make_signature, make_user
from wire.clock import now

pytestmark = pytest.mark.django_db


@pytest.fixture
def person(client):
    client.force_login(make_user(display_name="Ines"))
    return client


def url(run):
    return f"/instruments/{run.instrument_id}/runs/{run.run_id}/metadata"


def form(*rows):
    """Each row: key, what it was as JSON, value, kind."""
    return dict(zip(("key", "was", "value", "kind"), map(list, zip(*rows, strict=True)), strict=True))


class SentForm(HTMLParser):
    """The fields of a page's form as a browser sends them: one line of an input, CRLF in a text of several."""

    def __init__(self, page):
        super().__init__()
        self.fields, self.name, self.text = {}, "", None
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        named = dict(attrs)
        if tag == "input" and "name" in named:
            value = named.get("value") or ""
            self.add(named["name"], value if named.get("type") == "hidden" else value.replace("\n", ""))
        if tag in ("select", "textarea"):
            self.name, self.text = named["name"], "" if tag == "textarea" else None
        if tag == "option" and self.name and "selected" in named:
            self.add(self.name, named["value"])

    def handle_data(self, data):
        if self.text is not None:
            self.text += data

    def handle_endtag(self, tag):
        if tag == "textarea":
            self.add(self.name, self.text.removeprefix("\n").replace("\n", "\r\n"))
        if tag in ("select", "textarea"):
            self.name, self.text = "", None

    def add(self, name, value):
        self.fields.setdefault(name, []).append(value)


def own(run):
    return Run.objects.get(pk=run.pk).caller_metadata


def test_values_are_changed_added_and_taken_away(person):
    run = make_run(caller_metadata={"sample": "LYS-1", "wrong": "x", "kept": [1, 2]})

    answer = person.post(
        url(run),
        form(
            ("sample", '"LYS-1"', "LYS-2", "text"),
            ("wrong", '"x"', "", "text"),
            ("od600", "", "0.75", ""),
            ("barcode", "", "0012", ""),
            ("passed", "", "Yes", "yes_no"),
            ("", "", "", ""),
        ),
    )

    assert (answer.status_code, answer["Location"]) == (302, f"{url(run).removesuffix('/metadata')}#about")
    assert own(run) == {"sample": "LYS-2", "kept": [1, 2], "od600": 0.75, "barcode": "0012", "passed": True}


def test_the_page_of_a_run_leads_there_and_the_form_has_what_stands_there(person):
    run = make_run(caller_metadata={"sample": "LYS-1", "replicates": 3})

    assert f'href="{url(run)}"' in person.get(url(run).removesuffix("/metadata")).content.decode()
    page = person.get(url(run)).content.decode()
    assert ('value="LYS-1"' in page, 'value="3"' in page) == (True, True)


def test_what_nobody_touched_keeps_its_spelling(person):
    run = make_run(caller_metadata={"dose": 1.0, "note": " blanks "})

    person.post(url(run), form(("dose", "1.0", "1.0", "number"), ("note", '" blanks "', " blanks ", "text")))

    assert own(run) == {"dose": 1.0, "note": " blanks "}


@pytest.mark.parametrize(
    "metadata",
    [
        {"method": "first\n  second\n\nlast"},
        {"method": "\nbegins with a line"},
        {"method": "old\rMac", "other": "DOS\r\nlines"},
        {"key of\ntwo lines": "x", " key ": "y", "": "z"},
        {"long": "x" * 12_000, "escape": "kept\x1bhere"},
        {f"key {number:03}": number for number in range(450)},
    ],
)
def test_what_a_form_cannot_hold_stays_whatever_else_is_saved(person, metadata):
    run = make_run(caller_metadata=metadata | {"a": "before"})
    sent = SentForm(person.get(url(run)).content.decode()).fields
    sent["value"][sent["key"].index("a")] = "after"

    answer = person.post(url(run), sent)

    assert answer.status_code == 302
    assert own(run) == metadata | {"a": "after"}


def test_a_text_of_several_lines_is_changed(person):
    run = make_run(caller_metadata={"method": "first\nsecond"})
    sent = SentForm(person.get(url(run)).content.decode()).fields
    sent["value"][0] = "first\r\nsecond\r\nthird"

    person.post(url(run), sent)

    assert own(run) == {"method": "first\nsecond\nthird"}


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        (("od600", "", "0,75", "number"), "A number is needed, with a point for decimals."),
        (("passed", "", "perhaps", "yes_no"), "Yes or no is needed."),
        (("", "", "LYS-1", ""), "What is it called?"),
        (("sample", "", "", ""), "What is its value?"),
        (("sample", "", "LYS\x1b1", ""), "Control characters are not allowed."),
    ],
)
def test_what_is_refused_comes_back_in_its_row(person, row, fault):
    run = make_run()

    answer = person.post(url(run), form(row))

    page = answer.content.decode()
    assert (answer.status_code, own(run)) == (400, {})
    assert (fault in page, f'value="{row[2]}"' in page) == (True, True)


def test_a_name_stands_once(person):
    run = make_run(caller_metadata={"sample": "A"})

    answer = person.post(url(run), form(("sample", '"A"', "A", "text"), ("sample", "", "B", "")))

    assert (answer.status_code, own(run)) == (400, {"sample": "A"})


def test_two_people_who_edit_different_keys_both_have_theirs(person):
    run = make_run(caller_metadata={"sample": "A", "operator": "x"})

    person.post(url(run), form(("sample", '"A"', "B", "text"), ("operator", '"x"', "x", "text")))
    person.post(url(run), form(("sample", '"A"', "A", "text"), ("operator", '"x"', "y", "text")))

    assert own(run) == {"sample": "B", "operator": "y"}


def test_who_comes_second_to_the_same_key_is_told_and_may_insist(person):
    run = make_run(caller_metadata={"sample": "theirs"})

    answer = person.post(url(run), form(("sample", '"before"', "mine", "text")))

    page = answer.content.decode()
    assert (answer.status_code, own(run)) == (409, {"sample": "theirs"})
    assert "Somebody made it “theirs” meanwhile. Save again to have yours." in page
    assert 'name="was" value="&quot;theirs&quot;"' in page
    assert person.post(url(run), form(("sample", '"theirs"', "mine", "text"))).status_code == 302
    assert own(run) == {"sample": "mine"}


def test_what_is_signed_does_not_change(person):
    run = make_run(caller_metadata={"sample": "A"})
    make_signature(run=run)

    answer = person.post(url(run), form(("sample", '"A"', "B", "text")))

    assert (answer.status_code, own(run)) == (409, {"sample": "A"})
    assert 'value="B"' in answer.content.decode()


def test_a_signed_run_shows_what_stands_there_and_no_form(person):
    run = make_run(caller_metadata={"sample": "LYS-7"})
    make_signature(run=run)

    page = person.get(url(run)).content.decode()

    assert "it does not change until that is revoked" in page
    assert "LYS-7" in page
    assert 'name="value"' not in page


def test_so_does_a_deleted_one(person):
    page = person.get(
        url(make_run(caller_metadata={"sample": "LYS-7"}, deleted_at=now(), deleted_by=make_user()))
    ).content.decode()

    assert "The run is deleted. Restore it first." in page
    assert 'name="value"' not in page


def test_a_form_that_is_not_ours_is_refused(person):
    run = make_run(caller_metadata={"sample": "A"})

    answers = [
        person.post(url(run), form(("sample", "{not json", "", ""))),
        person.post(url(run), form(("sample", "[" * 100_000, "", ""))),
        person.post(url(run), form(("new\x00", "", "B", ""))),
        person.post(url(run), {"key": ["sample"]}),
    ]

    assert [answer.status_code for answer in answers] == [409, 409, 400, 400]
    assert own(run) == {"sample": "A"}


def test_names_are_offered_that_files_and_the_instruments_other_runs_have(person):
    run = make_run(extracted={"sample_id": "read of a file"})
    make_run(instrument=run.instrument, caller_metadata={"od600": 0.5})

    page = person.get(url(run)).content.decode()

    assert ('<option value="sample_id">' in page, '<option value="od600">' in page) == (True, True)


@pytest.mark.parametrize("typed", ["1e999", "-1e999"])
def test_a_number_that_none_can_hold_is_refused(person, typed):
    run = make_run()

    answer = person.post(url(run), form(("od600", "", typed, "number")))

    assert (answer.status_code, own(run)) == (400, {})
