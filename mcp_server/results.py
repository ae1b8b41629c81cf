"""What goes back to an assistant: JSON of bounded length, or the refusal of REST with what to do next."""

import json
from typing import Any

from mcp.types import CallToolResult, ContentBlock, TextContent
from pydantic import ValidationError as PydanticError

from wire.errors import ServiceError, ValidationError, build_envelope
from wire.telemetry.metrics import count_refusal

SCALARS = frozenset({"str", "int", "float", "bool"})
NO_LIST = "Input should be a valid list"  # as pydantic says it
MAX_ANSWER_BYTES = 20_000
ABRIDGED_BYTES = MAX_ANSWER_BYTES - 500  # beside the note that says what was left out
MAX_TEXT_CHARACTERS = 300
LARGEST_SHOWN = 10**MAX_TEXT_CHARACTERS
MEMBER_LIMITS = (20, 10, 5, 2)  # of an object or list inside a row: the first of these that is short enough
ADVICE = {
    "FORBIDDEN": "Whoever gave you access can add the scope; other tools may still work.",
    "NOT_FOUND": "Find the right id first, with search, search_runs or a list tool.",
    "CONFLICT": "Look at details: the state has to change before this can work.",
    "RATE_LIMITED": "Wait a few seconds, then go on more slowly.",
    "SERVICE_UNAVAILABLE": "Try again in a few seconds.",
}


def build_result(answer: dict[str, Any], *more: ContentBlock) -> CallToolResult:
    """`answer` as structured content and as text, abridged where it is too long; then pictures, where there are any."""
    text, structured = limit_answer(answer)
    content: list[ContentBlock] = [TextContent(type="text", text=text), *more]
    return CallToolResult(content=content, structured_content=structured)


def limit_answer(answer: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The answer as text and as it is, or abridged where it has more than MAX_ANSWER_BYTES."""
    text = encode_json(answer)
    if len(text.encode()) <= MAX_ANSWER_BYTES:
        return text, answer
    short = abridge_answer(answer)
    return encode_json(short), short


def build_error_result(error: ServiceError, *, advice: str = "") -> CallToolResult:
    """The envelope of REST as a tool error, with what to do next."""
    count_refusal(error)
    told = build_envelope(error)
    hint = advice or ADVICE.get(error.code, "")
    text = encode_json({**told["error"], "advice": hint} if hint else told["error"])
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=told, is_error=True)


def as_validation_error(error: PydanticError) -> ValidationError:
    """Arguments of the wrong type, named as REST names fields."""
    fields: dict[str, list[str]] = {}
    for fault in error.errors(include_url=False, include_input=False, include_context=False):
        fields.setdefault(_name_argument(fault["loc"]), []).append(fault["msg"])
    return ValidationError(fields={name: _leave_out_lists(said) for name, said in fields.items()})


def _name_argument(place: tuple[int | str, ...]) -> str:
    """Without the alternatives of a union, which pydantic names by their types: `list[str-enum[…]]`."""
    kept = [str(part) for number, part in enumerate(place) if not (number and ("[" in str(part) or part in SCALARS))]
    return ".".join(kept) or "arguments"


def _leave_out_lists(said: list[str]) -> list[str]:
    """Where one value or a list of them may stand, what is wrong with the value says more."""
    return [one for one in said if one != NO_LIST] or said


def abridge_answer(answer: dict[str, Any]) -> dict[str, Any]:
    """The answer within MAX_ANSWER_BYTES: long texts and large objects are cut, then ends of lists and of records."""
    short, said = answer, list[str]()
    for most in MEMBER_LIMITS:
        short = {name: _shorten_value(value, most=most, depth=0) for name, value in answer.items()}
        short, said = _cut_ends(short)
        if count_json_bytes(short) <= ABRIDGED_BYTES:
            break
    told = "; ".join(["Too long: long texts and large objects are cut", *said])
    return {**short, "abridged": f"{told}. Ask for less at once, or for one thing by its id."}


def _cut_ends(answer: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """As many members of each list and object at the top as fit, at least one, and what was left out."""
    parts = {name: _list_members(value) for name, value in answer.items() if isinstance(value, list | dict)}
    sizes = {name: [count_json_bytes(member) - 1 for member in members] for name, members in parts.items()}
    excess = count_json_bytes(answer) - ABRIDGED_BYTES
    while excess > 0 and (name := max(parts, key=lambda name: sum(sizes[name]), default="")) and len(parts[name]) > 1:
        parts[name].pop()
        excess -= sizes[name].pop()
    cut = {name: members for name, members in parts.items() if len(members) < len(answer[name])}
    said = [f"{name} shows the first {len(members)} of {len(answer[name])}" for name, members in cut.items()]
    kept = {name: _join_members(members, like=answer[name]) for name, members in cut.items()}
    return {**answer, **kept}, said


def _list_members(value: list[Any] | dict[str, Any]) -> list[Any]:
    """Each alone in a list or object of its own, which is one byte longer than it is among others."""
    return [{name: item} for name, item in value.items()] if isinstance(value, dict) else [[item] for item in value]


def _join_members(members: list[Any], *, like: list[Any] | dict[str, Any]) -> list[Any] | dict[str, Any]:
    if isinstance(like, dict):
        return {name: item for member in members for name, item in member.items()}
    return [item for member in members for item in member]


def count_json_bytes(value: Any) -> int:
    return len(encode_json(value).encode())


def encode_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def _shorten_value(value: Any, *, most: int, depth: int) -> Any:
    """Rows at the top keep their number; it is what lies inside them that grows without a bound."""
    if isinstance(value, str):
        return _shorten_text(value)
    if isinstance(value, list):
        items = value if depth == 0 else value[:most]
        return [_shorten_value(item, most=most, depth=depth + 1) for item in items]
    if isinstance(value, dict):
        pairs = list(value.items())[: None if depth < 2 else most]
        return {_shorten_text(name): _shorten_value(item, most=most, depth=depth + 1) for name, item in pairs}
    if isinstance(value, int) and abs(value) > LARGEST_SHOWN:
        return _shorten_text(str(value))
    return value


def _shorten_text(text: str) -> str:
    return text if len(text) <= MAX_TEXT_CHARACTERS else f"{text[:MAX_TEXT_CHARACTERS]}… ({len(text)} characters)"
