"""The page on which people edit a run's metadata: a row for each key, its value and what kind of value it is."""

import json
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import zip_longest
from math import isfinite
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from accounts.authentication import caller_of_page
from accounts.callers import Caller
from dashboard.guard import page
from dashboard.notices import Notice, add_notice
from dashboard.runs.rows import format_metadata_value
from runs import access
from runs.addresses import run_address
from runs.lifecycle import RunIsDeleted, describe_run
from runs.metadata_editing import ABSENT, MetadataEdit, MetadataOvertaken, edit_metadata, write_metadata_value
from runs.models import Run
from runs.serializers import RunChangeSerializer
from runs.signatures.rules import RunIsSigned, refuse_signed
from wire.audit_context import MAX_TEXT_CHARS, audit_context
from wire.change_reason import FIELD as REASON
from wire.change_reason import read_reason
from wire.errors import Conflict, ValidationError
from wire.input_gate import text_fault
from wire.inputs import read_body

KINDS = (("text", "Text"), ("number", "Number"), ("yes_no", "Yes or no"))
KIND_OF_TYPE = {str: "text", int: "number", float: "number", bool: "yes_no"}
YES_NO = {"yes": True, "true": True, "no": False, "false": False}
NUMBER = re.compile(r"-?(0|[1-9]\d{0,14})(\.\d{1,15})?([eE][+-]?\d{1,3})?")
NEW_ROWS = 3
MAX_ROWS, MAX_KEY_CHARACTERS, MAX_VALUE_CHARACTERS = 200, 255, 10_000
MAX_LATEST, MAX_OFFERED = 50, 30  # runs that suggestions are from, and suggestions


@dataclass(frozen=True)
class Row:
    """`was`: the value when the form was filled, as JSON; ABSENT in a row for a new key."""

    key: str = ""
    was: str = ABSENT
    value: str = ""
    kind: str = ""
    fault: str = ""

    @property
    def has_lines(self) -> bool:
        return "\n" in self.value


@require_http_methods(["GET", "HEAD", "POST"])
@page(access.EDIT_METADATA)
def edit_run_metadata(request: HttpRequest, instrument_id: str, run_id: str) -> HttpResponse:
    """What people and scripts wrote of a run. What is refused comes back in its row; what is frozen has no form."""
    by = caller_of_page(request)
    run = describe_run(instrument=instrument_id, run_id=run_id, by=by)
    if request.method != "POST":
        if reason := _explain_frozen(run):
            return _render_frozen(request, run, reason)
        return _render(request, run, [*_list_rows(run.caller_metadata), *[Row()] * NEW_ROWS], by=by)
    rows = _read_rows(request)
    try:
        edits = _read_edits(rows)
        reason = read_reason(request.POST.get(REASON, ""), name=REASON)
        with audit_context(reason=reason or None):
            edit_metadata(instrument=instrument_id, run_id=run_id, edits=edits, by=by)
    except RowsRefused as refused:
        return _render(request, run, refused.rows, by=by, status=400)
    except MetadataOvertaken as overtaken:
        return _render(request, run, _tell_overtaken(rows, overtaken.current), by=by, status=409)
    except (ValidationError, Conflict) as error:
        return _render(request, run, rows, by=by, fault=_say(error), status=error.status)
    if any(edit.wanted != edit.was for edit in edits):
        add_notice(request, Notice("Metadata saved."))
    return HttpResponseRedirect(f"{run_address(run)}#about")


def _explain_frozen(run: Run) -> str:
    """Why nobody may edit it now; empty where people may."""
    if run.deleted_at is not None:
        return RunIsDeleted(run).message
    try:
        refuse_signed(run)
    except RunIsSigned as refused:
        return refused.message
    return ""


def _render_frozen(request: HttpRequest, run: Run, reason: str) -> HttpResponse:
    held = {key: format_metadata_value(run.caller_metadata[key]) for key in sorted(run.caller_metadata)}
    shown = {"run": run, "url": run_address(run), "reason": reason, "held": held}
    return render(request, "runs/metadata_frozen.html", shown)


class RowsRefused(Exception):
    def __init__(self, rows: list[Row]) -> None:
        self.rows = rows


def _list_rows(metadata: Mapping[str, Any]) -> list[Row]:
    held = [(key, value) for key, value in sorted(metadata.items()) if _can_hold(key, value)]
    return [
        Row(key, write_metadata_value(metadata, key), _write(value), KIND_OF_TYPE[type(value)])
        for key, value in held[: MAX_ROWS - NEW_ROWS]
    ]


def _can_hold(key: str, value: Any) -> bool:
    """Whether a browser sends it back as it is. Lists, what is nested, and what is longer are no rows: they stay."""
    if type(value) not in KIND_OF_TYPE or not key.isprintable() or key != key.strip() or not key:
        return False
    if not isinstance(value, str):
        return True
    return len(value) <= MAX_VALUE_CHARACTERS and "\r" not in value and not text_fault(value, multiline=True)


def _write(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else json.dumps(value)


def _read_rows(request: HttpRequest) -> list[Row]:
    given = (request.POST.getlist(name)[:MAX_ROWS] for name in ("key", "was", "value", "kind"))
    return [
        Row(key.strip(), was, value.replace("\r\n", "\n").strip(), kind)
        for key, was, value, kind in zip_longest(*given, fillvalue="")
    ]


def _read_edits(rows: list[Row]) -> list[MetadataEdit]:
    """Raises RowsRefused, ValidationError."""
    told = [replace(row, fault=_find_fault(row, rows)) for row in rows]
    if any(row.fault for row in told):
        raise RowsRefused(told)
    edits = [MetadataEdit(row.key, row.was, _want(row)) for row in rows if row.key]
    read_body(RunChangeSerializer, {"metadata_patch": {one.key: json.loads(one.wanted or "null") for one in edits}})
    return edits


def _find_fault(row: Row, rows: list[Row]) -> str:
    if not row.key:
        return "What is it called?" if row.value else ""
    if fault := text_fault(row.key, multiline=False) or text_fault(row.value, multiline=True):
        return fault
    if not row.value and not row.was:
        return "What is its value?"
    if sum(other.key == row.key for other in rows) > 1:
        return "Each name stands once."
    if row.value and row.kind == "number" and not _is_number(row.value):
        return "A number is needed, with a point for decimals."
    if row.value and row.kind == "yes_no" and row.value.lower() not in YES_NO:
        return "Yes or no is needed."
    return ""


def _want(row: Row) -> str:
    """A value that nobody touched keeps its spelling; one of blanks is taken away."""
    if row.was and (row.value, row.kind) == _read_shown(row.was):
        return row.was
    if not row.value:
        return ABSENT
    return write_metadata_value({"": _read_value(row)}, "")


def _read_shown(was: str) -> tuple[str, str] | None:
    """None of what no form of ours holds."""
    try:
        value = json.loads(was)
    except (ValueError, RecursionError):
        return None
    return _write(value).strip(), KIND_OF_TYPE.get(type(value), "")


def _read_value(row: Row) -> Any:
    """Without a kind, what reads as a number is one."""
    if row.kind == "yes_no":
        return YES_NO[row.value.lower()]
    is_number = row.kind == "number" or (not row.kind and _is_number(row.value))
    return json.loads(row.value) if is_number else row.value


def _is_number(text: str) -> bool:
    return NUMBER.fullmatch(text) is not None and isfinite(float(text))


def _tell_overtaken(rows: list[Row], current: Mapping[str, str]) -> list[Row]:
    """With what the keys say now, so that saving again puts this in the place of that."""
    return [_tell_row(row, current[row.key]) if row.key in current else row for row in rows]


def _tell_row(row: Row, now: str) -> Row:
    shown = _read_shown(now)
    said = f"Somebody made it “{shown[0]}” meanwhile" if shown else "Somebody took it away meanwhile"
    return replace(row, was=now, fault=f"{said}. Save again to have yours.")


def _say(error: ValidationError | Conflict) -> str:
    fields = (error.details or {}).get("fields", {})
    return " ".join(fault for faults in fields.values() for fault in faults) or error.message


def _render(
    request: HttpRequest, run: Run, rows: list[Row], *, by: Caller, fault: str = "", status: int = 200
) -> HttpResponse:
    offered = _list_offers(run, by=by)
    shown = {
        "run": run,
        "url": run_address(run),
        "rows": rows,
        "fault": fault,
        "kinds": KINDS,
        "keys": list(offered),
        "offers": {row.key: offered[row.key] for row in rows if row.was and row.key in offered},
        "others": sorted(set(run.caller_metadata) - {row.key for row in rows}),
        "longest_key": MAX_KEY_CHARACTERS,
        "longest_value": MAX_VALUE_CHARACTERS,
        "reason": request.POST.get(REASON, ""),
        "longest_reason": MAX_TEXT_CHARS,
    }
    return render(request, "runs/metadata.html", shown, status=status)


def _list_offers(run: Run, *, by: Caller) -> dict[str, list[str]]:
    """Keys of this run, what was read of its files too, and of the instrument's latest; and what they say there."""
    latest = Run.objects.visible_to(by).active().filter(instrument_id=run.instrument_id)
    found: dict[str, dict[str, None]] = defaultdict(dict)
    written = latest.order_by("-happened_at", "-pk").values_list("caller_metadata", flat=True)[:MAX_LATEST]
    for metadata in (run.metadata, *written):
        for key, value in metadata.items():
            if type(value) in KIND_OF_TYPE and format_metadata_value(value):
                found[key][_write(value)[:MAX_KEY_CHARACTERS]] = None
    return {key: list(found[key])[:MAX_OFFERED] for key in sorted(found)[:MAX_OFFERED]}
