"""The input gate: what may enter at all, before any field looks at it.

Rules: docs/interface.md, Text and JSON, Body limits. Everything refused here is a 400 or 413 in the envelope.
"""

import json
import re
from collections.abc import Iterable
from typing import IO, Any, NoReturn

from rest_framework.parsers import BaseParser

from wire.errors import PayloadTooLarge, ValidationError

MAX_DEPTH = 20
MAX_CONTAINERS = 100_000  # a million empty lists take the parser a second
MAX_KEYS_PER_OBJECT = 20_000
USUAL_KEYS_PER_OBJECT = 100  # where there are many objects
MAX_DIGITS_PER_NUMBER = 4_000
SURROGATES = re.compile(r"[\ud800-\udfff]")
CONTROL_CHARACTERS_EXCEPT_TAB_AND_NEWLINE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
CONTROL_CHARACTERS = re.compile(r"[\x00-\x1f\x7f-\x9f]")
ONE_KIND_OF_BRACKETS = bytes.maketrans(b"{}", b"[]")
NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
WHITE_SPACE, KEY_END = b" \t\n\r", b'":'


class TooManyKeys(PayloadTooLarge):
    def __init__(self) -> None:
        super().__init__(f"An object may have {MAX_KEYS_PER_OBJECT} keys.", limit=MAX_KEYS_PER_OBJECT)


def text_fault(text: str, *, multiline: bool) -> str | None:
    """What is wrong with a piece of text, as a sentence, or None."""
    if text.isprintable():
        return None
    if fault := storage_fault(text):
        return fault
    if (CONTROL_CHARACTERS_EXCEPT_TAB_AND_NEWLINE if multiline else CONTROL_CHARACTERS).search(text):
        return "Control characters are not allowed."
    return None


def storage_fault(text: str) -> str | None:
    """What of a text no column of the database can hold, as a sentence, or None."""
    if "\x00" in text:
        return "NUL characters are not allowed."
    if SURROGATES.search(text):
        return "Lone surrogates are not allowed."
    return None


def find_storage_fault(texts: Iterable[str]) -> str | None:
    """Of what a form, a query or a cookie holds, the first thing that no column can."""
    return next((fault for text in texts if (fault := storage_fault(text))), None)


def read_json(body: bytes) -> Any:
    """Strict JSON: UTF-8, no duplicate keys, no non-finite numbers, at most 20 levels.

    Raises ValidationError, PayloadTooLarge.
    """
    check_keys(body)
    check_nesting(body)
    try:
        value = json.loads(
            body.decode("utf-8"),
            object_pairs_hook=_refuse_repeated_keys,
            parse_constant=_refuse_constant,
            parse_int=_parse_integer,
            parse_float=_parse_float,
        )
    except UnicodeDecodeError:
        raise ValidationError("The body is not UTF-8.") from None
    except (json.JSONDecodeError, RecursionError):
        raise ValidationError("The body is not valid JSON.") from None
    _check_texts(value)
    return value


def check_keys(body: bytes) -> None:
    """Counted on the bytes, in 10 ms, whatever white space stands before a colon.

    Who hides keys behind braces in texts is refused when their object has been read.
    """
    most = MAX_KEYS_PER_OBJECT + USUAL_KEYS_PER_OBJECT * body.count(b"{")
    if body.count(b":") > most and body.translate(None, WHITE_SPACE).count(KEY_END) > most:
        raise TooManyKeys


def check_nesting(body: bytes) -> None:
    """How deep, how many. The body itself is level 1. Counted on the bytes, so that a bomb never reaches the parser."""
    if body.count(b"[") + body.count(b"{") <= MAX_DEPTH:
        return
    brackets = _outside_texts(body).translate(ONE_KIND_OF_BRACKETS, NO_BRACKETS)
    containers, levels = brackets.count(b"["), 0
    while brackets and levels < MAX_DEPTH and b"[" * (MAX_DEPTH + 1) not in brackets:
        brackets, levels = brackets.replace(b"[]", b""), levels + 1  # the innermost level goes
    if brackets:
        raise ValidationError(f"The body is nested deeper than {MAX_DEPTH} levels, or its brackets do not close.")
    if containers > MAX_CONTAINERS:
        raise PayloadTooLarge(f"A body may have {MAX_CONTAINERS} lists and objects.", limit=MAX_CONTAINERS)


def _outside_texts(body: bytes) -> bytes:
    """A body without its strings. What stands behind a backslash that is in none is never parsed."""
    return b"".join(body.replace(rb"\\", b"").replace(rb"\"", b"").split(b'"')[::2])


def json_size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


def refuse_oversized_json(value: Any, *, limit: int, name: str) -> None:
    """413 when the JSON text of `value` exceeds `limit` bytes."""
    size = json_size(value)
    if size > limit:
        raise PayloadTooLarge(f"{name} has {size} bytes; at most {limit} are kept.", field=name, limit=limit, size=size)


class StrictJSONParser(BaseParser):
    """DRF's door to the gate. An empty body is an empty object."""

    media_type = "application/json"

    def parse(self, stream: IO[bytes], media_type: str | None = None, parser_context: Any = None) -> dict[str, Any]:
        body = stream.read()
        if not body.strip():
            return {}
        value = read_json(body)
        if not isinstance(value, dict):
            raise ValidationError("The body must be a JSON object.")
        return value


def _refuse_repeated_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(pairs) > MAX_KEYS_PER_OBJECT:
        raise TooManyKeys
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValidationError("The body repeats a key.")
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise ValidationError(f"{name} is not a JSON number.")


def _parse_integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS_PER_NUMBER:
        raise ValidationError(f"Numbers have at most {MAX_DIGITS_PER_NUMBER} digits.")
    return int(digits)


def _parse_float(digits: str) -> float:
    if len(digits) > MAX_DIGITS_PER_NUMBER:
        raise ValidationError(f"Numbers have at most {MAX_DIGITS_PER_NUMBER} digits.")
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise ValidationError("The body holds a number that is out of range.")
    return value


def _check_texts(body: Any) -> None:
    """NUL, surrogates and control characters anywhere, keys included; named by the member of the body they stand in."""
    members = body.items() if isinstance(body, dict) else [("body", body)]
    for name, value in members:
        if fault := text_fault(name, multiline=True):
            raise ValidationError(fault)
        if fault := _find_first_fault(value):
            raise ValidationError(fields={_path_of_fault(name, value): [fault]})


def _path_of_fault(name: str, value: Any) -> str:
    """The member, or `events.3` where it is a list of objects: as errors of fields are named."""
    listed = value if isinstance(value, list) else []
    places = (
        f"{name}.{index}" for index, item in enumerate(listed) if isinstance(item, dict) and _find_first_fault(item)
    )
    return next(places, name)


def _find_first_fault(value: Any) -> str | None:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            if fault := text_fault(item, multiline=True):
                return fault
        elif isinstance(item, dict):
            waiting.extend(item.keys())
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
    return None
