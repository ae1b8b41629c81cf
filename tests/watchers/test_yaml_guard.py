import time

import pytest
import yaml

from watchers.yaml_guard import UnsafeYaml, read_yaml


@pytest.mark.parametrize(
    "text",
    [
        "a: [1",
        "a: &x [1]\nb: *x",
        "a: &a [*a]",
        "- a\n b: c\n\t- d",
        "a: !!python/object/apply:os.system ['x']",
        "a: !!python/name:os.system",
        "a: !unknown x",
        "!!float x",
        "a: !!int ''",
        "a: !!bool maybe",
        "a: !!timestamp x",
        "a: 2024-99-99",
        "{a: b}: c",
        "a: 1\n---\nb: 2",
        "%YAML 9.9\n---\na",
        "[" * 3000,
        "{a: " * 3000,
        "? " * 3000,
        "- " * 3000,
        "!!binary 'not base64'",
        "a: " + "9" * 101,
        "a: !!int '" + "9" * 101 + "'",
        'a: "\\ud800"',
    ],
)
def test_what_is_not_safe_to_read_is_refused_with_a_sentence(text):
    with pytest.raises(UnsafeYaml, match=r"\.$"):
        read_yaml(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("a: 1", {"a": 1}),
        ("a: &anchor 1", {"a": 1}),
        ("a: " + "9" * 100, {"a": int("9" * 100)}),
        ("a: '" + "9" * 200 + "'", {"a": "9" * 200}),
        ("a: " + "x" * 200, {"a": "x" * 200}),
        ("a: !!str 5", {"a": "5"}),
    ],
)
def test_what_is_safe_is_read(text, value):
    assert read_yaml(text) == value


def test_twenty_levels_are_read_and_one_more_is_not():
    assert read_yaml("[" * 20 + "]" * 20)
    with pytest.raises(UnsafeYaml, match="20 levels"):
        read_yaml("[" * 21 + "]" * 21)


def test_depth_is_measured_not_counted():
    assert len(read_yaml("- []\n" * 1_000)) == 1_000


def test_a_number_in_base_60_does_not_hold_up_a_thread():
    before = time.process_time()

    with pytest.raises(UnsafeYaml, match="Numbers"):
        read_yaml("a: 1" + ":59" * 80_000)

    assert time.process_time() - before < 1


@pytest.mark.parametrize("text", ["a: [" + "1," * 120_000 + "]", "- a\n" * 60_000, "{" + "a: {}," * 40_000 + "}"])
def test_long_lists_are_given_up_while_they_are_read(monkeypatch, text):
    events, parse = [], yaml.parse
    monkeypatch.setattr(
        "yaml.parse", lambda *given, **options: (noted(events, one) for one in parse(*given, **options))
    )
    monkeypatch.setattr("yaml.load", None)

    with pytest.raises(UnsafeYaml, match="more than 5000 values"):
        read_yaml(text)

    assert len(events) == 5_002


def noted(events, one):
    events.append(one)
    return one
