"""Who is named in a comment, and how it is shown."""

import pytest

from runs.markdown import extract_plain_text, list_mentioned_names, render_markdown
from runs.mentions.naming import find_named_people, suggest_people
from runs.models import Mention
from tests.factories import make_comment, make_group, make_instrument, make_user


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("@Anna look", ["anna"]),
        ('@"Anna Nováková", @bob.', ["anna nováková", "bob"]),
        ("(@Anna) and @ANNA", ["anna"]),
        ("anna@lab.example or <anna@lab.example>", []),
        ("`@Anna` and [@Anna](https://lab.example)", []),
        ("```\n@Anna\n```", []),
        ("**@Anna** > @jean-luc.picard", ["anna", "jean-luc.picard"]),
        (r"\@Anna @ @_x @", []),
        ('@"' + "x" * 101 + '"', []),
    ],
)
def test_names_are_found_where_they_are_meant(text, names):
    assert list_mentioned_names(text) == names


def test_a_name_that_is_somebodys_is_marked_and_any_other_is_text():
    html = render_markdown('@"Anna <b>" and @"<i>nobody</i>"', names={"anna <b>": "Anna <b>"})

    assert '<span class="mention">@Anna &lt;b&gt;</span>' in html
    assert '@"&lt;i&gt;nobody&lt;/i&gt;"' in html


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("@Ines Okafor, look", "@Ines Okafor</span>, look"),
        ("@ines okafor", "@Ines Okafor</span></p>"),
        ("@Ines Okaforson", "@Ines Okafor</span> Okaforson"),
        ("@Ines look", "@Ines Okafor</span> look"),
        ('@"Ines Okafor" Okafor', "@Ines Okafor</span> Okafor"),
    ],
)
def test_a_whole_name_without_quotes_is_shown_once(text, shown):
    assert shown in render_markdown(text, names={"ines": "Ines Okafor", "ines okafor": "Ines Okafor"})


def test_nobody_writes_a_mention_as_markup():
    assert "<span" not in render_markdown('<span class="mention">@Anna</span>')


def test_an_excerpt_keeps_the_name():
    assert extract_plain_text('Ask @"Anna Nováková" **now**') == "Ask @Anna Nováková now"


@pytest.fixture
def instrument(db):
    return make_instrument(id="reader")


def find(text, instrument):
    return {name: person.name for name, person in find_named_people([text], instrument_id=instrument.pk).items()}


def test_a_whole_name_a_first_word_and_an_id_name_a_person(instrument):
    anna = make_user(display_name="Anna Nováková")
    make_user(display_name="Bob")

    found = find(f'@anna @"ANNA NOVÁKOVÁ" @"{anna.pk}" @Bob @Bo', instrument)

    assert found == {
        "anna": "Anna Nováková",
        "anna nováková": "Anna Nováková",
        str(anna.pk): "Anna Nováková",
        "bob": "Bob",
    }


def test_a_name_of_several_is_nobodys_but_the_whole_one_goes_before(instrument):
    for name in ("Anna", "Anna Nováková", "Eve One", "Eve Two"):
        make_user(display_name=name)

    assert find("@Anna @Eve", instrument) == {"anna": "Anna"}


@pytest.mark.django_db
def test_who_left_or_sees_nothing_of_it_is_not_named():
    inside, outside = make_user(display_name="Inside"), make_user(display_name="Outside")
    make_user(display_name="Gone", is_active=False)
    hidden = make_instrument(visibility="groups")
    make_group(inside, instruments=[hidden])

    assert find("@Inside @Outside @Gone", hidden) == {"inside": "Inside"}
    assert [one for one, _ in suggest_people("side", instrument_id=hidden.pk)] == [inside]
    assert outside.is_active


def test_a_text_without_names_asks_the_database_nothing(instrument, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert find("nobody here", instrument) == {}


def test_what_is_offered_names_that_person(instrument):
    anna, bob = make_user(display_name="Anna Nováková"), make_user(display_name="Bob")
    twins = [make_user(display_name="Eve Twin") for _ in range(2)]

    offered = dict(suggest_people("", instrument_id=instrument.pk))

    assert offered == {
        anna: '@"Anna Nováková"',
        bob: "@Bob",
        twins[0]: f"@{twins[0].pk}",
        twins[1]: f"@{twins[1].pk}",
    }


def test_one_mention_per_comment_and_person(refused_by):
    comment, anna = make_comment(), make_user()
    Mention.objects.create(comment=comment, user=anna)

    refused_by("one_mention_per_comment_and_person", lambda: Mention.objects.create(comment=comment, user=anna))
