"""What a value of config.yaml may be: a function that takes it or says why not, and the same as JSON Schema."""

from collections.abc import Callable, Mapping
from enum import Enum
from pathlib import Path
from typing import Any, Generic, NoReturn, TypeVar
from urllib.parse import urlsplit

import regex

from instrument_watcher.uploading.bandwidth import hours
from instrument_watcher.watching.patterns import pattern_fault

Value = TypeVar("Value")
Kind = TypeVar("Kind", bound=Enum)
SPAN = r"^\s*\d\d:\d\d(:\d\d)?\s*-\s*\d\d:\d\d(:\d\d)?\s*$"


class Check(Generic[Value]):
    """Called with a value it answers what it means, or raises ValueError with the words of the message.

    Its schema takes whatever the call takes; what no schema can tell, the call finds.
    """

    def __init__(self, convert: Callable[[Any], Value], message: str, kind: str, **limits: Any) -> None:
        self._convert = convert
        self.message = message
        self.schema: Mapping[str, Any] = {"type": [kind, "null"], **limits, "errorMessage": message}

    def __call__(self, value: Any) -> Value:
        try:
            return self._convert(value)
        except (TypeError, AttributeError):
            self.refuse()

    def refuse(self) -> NoReturn:
        raise ValueError(self.message)


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("must be a text")
    return value


text = Check(_text, "must be a text", "string", pattern=r"\S")


def _server_address(value: Any) -> str:
    """`https://host[:port][/prefix]`, without a trailing slash and without /api/v1."""
    address = _text(value).rstrip("/").removesuffix("/api/v1")
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise TypeError
    if parts.username or parts.password:
        raise ValueError("must not hold a user name or password")
    return address


server_address = Check(
    _server_address,
    "must be an address such as https://data.lab.example",
    "string",
    pattern=r"^[hH][tT][tT][pP][sS]?://.",
)


def _group_pattern(value: Any) -> str:
    """A regular expression with exactly one group."""
    pattern = _text(value)
    try:
        groups = regex.compile(pattern).groups
    except regex.error as error:
        raise ValueError(f"is no regular expression: {error}") from None
    if groups != 1:
        raise ValueError(f"must have exactly one group ( ), it has {groups}")
    return pattern


group_pattern = Check(
    _group_pattern, "must be a regular expression with exactly one group ( )", "string", pattern=r"\("
)


def _slug(value: Any) -> str:
    if not regex.fullmatch(r"[a-z0-9-]{1,64}", _text(value)):
        raise TypeError
    return str(value)


slug = Check(_slug, "must be 1 to 64 of a-z, 0-9 and -", "string", pattern=r"^[a-z0-9-]{1,64}$")


def _absolute_path(value: Any) -> Path:
    path = Path(_text(value)).expanduser()
    if not path.is_absolute():
        raise TypeError
    return path


absolute_path = Check(_absolute_path, "must be a full path", "string", pattern=r"\S")


def _some_patterns(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        raise TypeError
    for pattern in value:
        if fault := pattern_fault(pattern):
            raise ValueError(f"must hold patterns such as *.csv, not {pattern}: {fault}")
    return tuple(value)


def _patterns(value: Any) -> tuple[str, ...]:
    found = _some_patterns(value)
    if not found:
        raise ValueError('must hold at least one pattern; "*" takes every file')
    return found


_PATTERN = {"type": "string", "minLength": 1}
_LIST_WANTED = 'must be a list of texts, such as ["*.csv", "*.raw"]'
some_patterns = Check(_some_patterns, _LIST_WANTED, "array", items=_PATTERN)
patterns = Check(_patterns, _LIST_WANTED, "array", items=_PATTERN, minItems=1)


def one_of(kind: type[Kind]) -> Check[Kind]:
    choices = [member.value for member in kind]

    def convert(value: Any) -> Kind:
        if value not in choices:
            raise TypeError
        return kind(value)

    return Check(convert, f"must be one of {', '.join(choices)}", "string", enum=[*choices, None])


def _listen_address(value: Any) -> str:
    """A port of this computer, which only it reaches, or host:port."""
    host, _, port = str(value).rpartition(":")
    if isinstance(value, bool) or not port.isascii() or not port.isdigit() or not 1 <= int(port) <= 65_535:
        raise TypeError
    return f"{host or '127.0.0.1'}:{port}"


listen_address = Check(_listen_address, "must be a port such as 9464, or an address such as 0.0.0.0:9464", "string")
listen_address.schema = {**listen_address.schema, "type": ["integer", "string", "null"]}


def number(least: float, most: float) -> Check[float]:
    def convert(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
            raise TypeError
        return value

    return Check(convert, f"must be a number from {least:g} to {most:g}", "number", minimum=least, maximum=most)


def whole(least: int, most: int) -> Check[int]:
    def convert(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise TypeError
        return value

    return Check(convert, f"must be a whole number from {least} to {most}", "integer", minimum=least, maximum=most)


_limit = number(0.01, 100_000)


def _limits_by_hours(value: Any) -> dict[str, float | None]:
    if not isinstance(value, dict) or not all(isinstance(span, str) for span in value):
        raise TypeError
    for span in value:
        hours(span)
    return {span: None if limit is None else _limit(limit) for span, limit in value.items()}


limits_by_hours = Check(
    _limits_by_hours,
    'must hold lines such as "07:00-19:00": 2',
    "object",
    propertyNames={"pattern": SPAN, "errorMessage": 'must hold lines such as "07:00-19:00": 2'},
    additionalProperties=_limit.schema,
)


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value


flag = Check(_flag, "must be true or false", "boolean")
