import json

import pytest

from wire.errors import PayloadTooLarge, ValidationError
from wire.input_gate import read_json, refuse_oversized_json


def nested(levels: int) -> bytes:
    return b'{"a":' * (levels - 1) + b"{}" + b"}" * (levels - 1)


def test_twenty_levels_enter():
    assert read_json(nested(20))


@pytest.mark.parametrize("levels", [21, 100_000])
def test_deeper_bodies_are_refused(levels):
    with pytest.raises(ValidationError, match="deeper than 20"):
        read_json(nested(levels))


@pytest.mark.parametrize("levels", [10, 11])
def test_lists_and_objects_are_levels_alike(levels):
    body = b'[{"a":' * levels + b"1" + b"}]" * levels

    if levels * 2 <= 20:
        assert read_json(body)
    else:
        with pytest.raises(ValidationError, match="deeper than 20"):
            read_json(body)


@pytest.mark.parametrize("body", [b"[" * 21, b"[[]" * 21, b"]" * 21 + b"[" * 21], ids=["open", "half open", "turned"])
def test_brackets_that_do_not_close_are_refused(body):
    with pytest.raises(ValidationError, match="deeper than 20 levels, or its brackets do not close"):
        read_json(body)


def test_a_body_may_have_100_000_lists_and_objects():
    few, many = ([[]] * (99_999 + more) for more in (0, 1))

    assert len(read_json(json.dumps(few).encode())) == 99_999
    with pytest.raises(PayloadTooLarge):
        read_json(json.dumps(many).encode())


def test_brackets_inside_texts_do_not_count_as_levels():
    assert read_json(b'{"a": "' + b"[{" * 50 + b'\\"[["}')["a"].startswith("[{")


def test_a_long_text_without_an_end_is_refused_quickly():
    with pytest.raises(ValidationError):
        read_json(b'{"a": "' + b"\\[" * 400_000)


@pytest.mark.parametrize(
    "body",
    [
        b'{"a": 1, "a": 2}',
        b'{"m": {"a": 1, "a": 2}}',
        b'{"a": NaN}',
        b'{"a": -Infinity}',
        b'{"a": 1e400}',
        b'{"a": ' + b"9" * 5000 + b"}",
        b'{"a": "\\u0000"}',
        b'{"a\\u0000": 1}',
        b'{"a": "\\ud800"}',
        b'{"a": ["\\u001b"]}',
        b'{"a": "\xff"}',
        b'{"a": 1} x',
        b"[" * 200_000,
        b"",
    ],
)
def test_what_may_not_enter_is_a_validation_error(body):
    with pytest.raises(ValidationError):
        read_json(body)


def test_a_fault_names_the_member_it_stands_in():
    with pytest.raises(ValidationError) as refused:
        read_json(b'{"display_name": "a\\u0000b"}')

    assert refused.value.details == {"fields": {"display_name": ["NUL characters are not allowed."]}}


@pytest.mark.parametrize(
    ("body", "place"),
    [
        (b'{"events": [{"message": "a"}, {"message": "b\\u0000"}]}', "events.1"),
        (b'{"events": [{"a\\u0000": 1}]}', "events.0"),
        (b'{"scopes": ["a", "b\\u0000"]}', "scopes"),
        (b'{"metadata": {"a": [{"b": "\\u0000"}]}}', "metadata"),
    ],
)
def test_a_fault_names_the_object_of_a_list_it_stands_in(body, place):
    with pytest.raises(ValidationError) as refused:
        read_json(body)

    assert refused.value.details == {"fields": {place: ["NUL characters are not allowed."]}}


def test_malformed_json_has_no_details():
    with pytest.raises(ValidationError) as refused:
        read_json(b'{"a": ')

    assert refused.value.details is None


def test_numbers_beyond_double_precision_are_kept_exactly():
    assert read_json(b'{"n": 1152921504606846977}') == {"n": 2**60 + 1}


def test_a_value_over_its_limit_is_too_large():
    with pytest.raises(PayloadTooLarge) as refused:
        refuse_oversized_json({"a": "é" * 10}, limit=20, name="metadata")

    assert refused.value.details == {"field": "metadata", "limit": 20, "size": 28}


def keys(count: int, separator: bytes = b":") -> bytes:
    return b"{" + b",".join(b'"k%d"%s0' % (number, separator) for number in range(count)) + b"}"


def test_an_object_may_have_20_000_keys():
    assert len(read_json(keys(20_000))) == 20_000


@pytest.mark.parametrize("separator", [b":", b" :", b"\n:", b"  :", b"\r\n\t :", b" " * 12 + b":"])
def test_an_object_with_too_many_keys_is_refused_before_it_is_parsed(monkeypatch, separator):
    monkeypatch.setattr("json.loads", None)

    with pytest.raises(PayloadTooLarge, match="20000 keys"):
        read_json(b'{"metadata": ' + keys(200_000, separator) + b"}")


def test_an_object_that_hides_its_keys_is_refused_when_it_was_read():
    with pytest.raises(PayloadTooLarge, match="20000 keys"):
        read_json(keys(20_001)[:-1] + b',"a": "' + b"{" * 500 + b'"}')


def test_many_objects_with_few_keys_each_are_no_fault():
    listed = [{"relative_path": f"a/{number}", "size_bytes": number, "crc32": "0"} for number in range(20_000)]

    assert len(read_json(json.dumps({"files": listed}, separators=(",", ":")).encode())["files"]) == 20_000


def test_a_method_that_nothing_serves_is_refused_with_those_that_are(as_token):
    answer = as_token("instruments:read").send("TRACE", "/api/v1/instruments", None)

    assert answer.status_code == 405
    assert answer.headers["Allow"] == "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT"
