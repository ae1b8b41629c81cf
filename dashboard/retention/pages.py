"""The page that says for how long the bytes of an instrument are kept, what goes next and what went."""

import re
from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from accounts.authentication import caller_of_page
from accounts.callers import Caller
from changes.models import Change, ChangeType
from dashboard.guard import page
from dashboard.notices import Notice, add_notice
from dashboard.templatetags.parts import grouped, size
from files.storage import cold_store
from instruments.catalogue import find_instrument
from instruments.retention import retention_of
from instruments.retention_rules import COLD_RULE, MAX_RETENTION_DAYS, RetentionRule
from retention import access
from retention.preview import Freed, Preview, preview_instrument, preview_purge, preview_rules
from retention.rules import save_rules
from retention.serializers import CoolingSerializer
from runs.addresses import path_of_run
from wire.clock import now
from wire.errors import ValidationError
from wire.inputs import read_body

IS_NUMBER = re.compile(r"[0-9]{1,18}")
MAX_PURGED_SHOWN = 200  # files, of the log
LABELS: dict[str, tuple[str, str]] = {
    RetentionRule.PURGE_DELETED.value: ("Deleted runs", "Days since the deletion; then they cannot be restored."),
    RetentionRule.EXPIRE_RAW.value: ("Raw files", "Days since a file was stored."),
    RetentionRule.EXPIRE_PROCESSED.value: ("Processed files and datasets", "Days since they were made of a raw file."),
    RetentionRule.EXPIRE_ARCHIVES.value: ("Packed archives", "Days since they were packed. Empty: seven."),
    COLD_RULE: ("Raw files, to the cold store", "Days since a file was stored. It is kept, and comes back on request."),
}

EMPTY = {RetentionRule.EXPIRE_ARCHIVES.value: "seven"}  # what an empty field means; of all others, never


@require_http_methods(["GET", "HEAD", "POST"])
@page(access.RETENTION)
def instrument_retention(request: HttpRequest, instrument_id: str) -> HttpResponse:
    """The rules; what they would free at once is told, and asked, before they are saved."""
    by = caller_of_page(request)
    instrument = find_instrument(instrument_id, by=by)
    if request.method != "POST":
        kept = retention_of(instrument)
        return render_form(request, instrument_id, given={rule: getattr(kept, rule) for rule in list_rules()})
    given = {rule: request.POST.get(rule, "").strip() for rule in list_rules()}
    asked = {rule: int(text) if IS_NUMBER.fullmatch(text) else text or None for rule, text in given.items()}
    try:
        days = read_body(CoolingSerializer, asked)
        more = find_more_due(instrument_id, days, by=by)
        if more and request.POST.get("confirmed") != str(more.files):
            return render_form(request, instrument_id, given=given, unconfirmed=more)
        save_rules(instrument_id, days, by=by)
    except ValidationError as error:
        return render_form(request, instrument_id, given=given, faults=(error.details or {}).get("fields", {}))
    add_notice(request, Notice("Saved."))
    return HttpResponseRedirect(request.path)


def find_more_due(instrument_id: str, days: Mapping[str, int | None], *, by: Caller) -> Preview | None:
    """What the next purge takes by these rules, where that is more than by those that are saved."""
    at = now()
    before, after = preview_purge(instrument_id, by=by, at=at), preview_rules(instrument_id, days, by=by, at=at)
    return after if after.files > before.files or after.runs > before.runs else None


def render_form(
    request: HttpRequest,
    instrument_id: str,
    *,
    given: Mapping[str, object],
    faults: dict[str, list[str]] | None = None,
    unconfirmed: Preview | None = None,
) -> HttpResponse:
    instrument, at = find_instrument(instrument_id, by=caller_of_page(request)), now()
    due = preview_instrument(instrument, at=at)
    faults = faults or {}
    fields = [
        (rule, LABELS[rule][0], _write_help(rule, due.by_rule[rule]), given[rule], faults.get(rule), EMPTY.get(rule))
        for rule in list_rules()
    ]
    shown = {"instrument": instrument, "fields": fields, "due": due, "most": MAX_RETENTION_DAYS, "at": at}
    shown["unconfirmed"] = unconfirmed
    shown |= {"purged": list_purged_runs(instrument_id), "cooling": due.by_rule.get(COLD_RULE)}
    return render(request, "retention/page.html", shown, status=400 if faults else 200)


def _write_help(rule: str, due: Freed) -> str:
    """What the number means, and what it would free."""
    return f"{LABELS[rule][1]} {grouped(due.files)} due now, {size(due.bytes)}." if due.files else LABELS[rule][1]


def list_rules() -> list[str]:
    """That of cold files only where there is a store for them."""
    return [*RetentionRule.values, *([COLD_RULE] if cold_store() is not None else [])]


def list_purged_runs(instrument_id: str) -> list[tuple[str, str, int]]:
    """Runs of which the log told last that files went: names, addresses and how many files."""
    log = Change.objects.filter(instrument_id=instrument_id, type=ChangeType.FILE_PURGED).order_by("-position")
    names = list(log.values_list("run_id", flat=True)[:MAX_PURGED_SHOWN])
    return [(name, path_of_run(instrument_id, name), names.count(name)) for name in dict.fromkeys(names) if name]
