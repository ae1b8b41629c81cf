"""The configuration of a watcher, edited from afar: looked at before it is sent, and taken by the agent, not by us."""

import hashlib
from typing import Any
from uuid import UUID

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_POST

from accounts.authentication import caller_of_page
from accounts.callers import Caller
from dashboard.guard import page
from dashboard.notices import Notice, add_notice
from files.pattern_preview import PatternPreview, preview_patterns
from watchers import access
from watchers.config import ConfigMissing, find_config
from watchers.config_rules import LOCAL_KEYS, list_keys
from watchers.configuration.serializers import NewConfigSerializer
from watchers.fleet import find_watcher
from watchers.models import Watcher
from watchers.ownership import WatcherDeregistered
from watchers.wanted_config import find_last_wanted, want_config, withdraw_wanted_config
from wire.clock import now
from wire.errors import ServiceError, ValidationError
from wire.inputs import read_body

MAX_PATHS_SHOWN = 12
CHANGED_MEANWHILE = "It was changed meanwhile, here or at the computer. Send it again to replace what is there now."


class ConfigForm(forms.Form):
    """`base` is the checksum of what the form was opened with."""

    config_yaml = forms.CharField(strip=False, required=False)
    base = forms.CharField(required=False)


@require_http_methods(["GET", "HEAD", "POST"])
@page(access.CONFIGURE)
def edit_configuration(request: HttpRequest, watcher_id: UUID) -> HttpResponse:
    """The form; sent with `preview` it shows what would match, sent without the agent is asked to run it."""
    by = caller_of_page(request)
    watcher = find_watcher(watcher_id, by=by)
    if watcher.deleted_at is not None:
        raise WatcherDeregistered(watcher.deleted_at)
    text = _find_text(watcher, by=by)
    if request.method != "POST":
        return _render_form(request, watcher, ConfigForm(initial={"config_yaml": text, "base": _sum_up(text)}), by=by)
    form, preview = ConfigForm(request.POST), None
    if form.is_valid():
        asked = form.cleaned_data["config_yaml"].replace("\r\n", "\r\n" if "\r\n" in text else "\n")
        is_sent = "preview" not in request.POST
        try:
            new = read_body(NewConfigSerializer, {"config_yaml": asked, "checksum": _sum_up(asked)})
            preview = preview_patterns(watcher_id, config_yaml=asked, by=by)
            if is_sent and form.cleaned_data["base"] != _sum_up(text):
                form = _renew_base(form, text)
            elif is_sent:
                want_config(watcher_id, **new, by=by, at=now())
                add_notice(request, Notice("Sent. The agent tries it with its next heartbeat."))
                return HttpResponseRedirect(f"/watchers/{watcher_id}")
        except ServiceError as refused:
            _add_refusal(form, refused)
    return _render_form(request, watcher, form, by=by, preview=preview)


@require_POST
@page(access.CONFIGURE)
def withdraw_configuration(request: HttpRequest, watcher_id: UUID) -> HttpResponse:
    withdrawn = withdraw_wanted_config(watcher_id, by=caller_of_page(request))
    gone = "Nothing was waiting any more." if withdrawn.already_applied else "Withdrawn. The agent goes on as it is."
    add_notice(request, Notice(gone))
    return HttpResponseRedirect(f"/watchers/{watcher_id}")


def _render_form(
    request: HttpRequest, watcher: Watcher, form: ConfigForm, *, by: Caller, preview: PatternPreview | None = None
) -> HttpResponse:
    shown = {
        "at": now(),
        "watcher": watcher,
        "form": form,
        "wanted": find_last_wanted(watcher),
        "preview": preview,
        "max_paths": MAX_PATHS_SHOWN,
        "keys": list_keys(),
        "local_keys": LOCAL_KEYS,
    }
    return render(request, "watchers/configuration.html", shown, status=400 if form.errors else 200)


def _find_text(watcher: Watcher, *, by: Caller) -> str:
    """What the form is about: what waits or was refused, else what runs."""
    wanted = find_last_wanted(watcher)
    if wanted is not None and wanted.state != "taken":
        return wanted.config_yaml
    running = _find_running(watcher, by=by)
    return running.config_yaml if running else ""


def _find_running(watcher: Watcher, *, by: Caller) -> Any:
    try:
        return find_config(watcher.pk, by=by)
    except ConfigMissing:
        return None


def _sum_up(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _renew_base(form: ConfigForm, text: str) -> ConfigForm:
    """The same form, with which the next sending replaces what is there now."""
    again = ConfigForm({"config_yaml": form.cleaned_data["config_yaml"], "base": _sum_up(text)})
    again.add_error(None, CHANGED_MEANWHILE)
    return again


def _add_refusal(form: ConfigForm, refused: ServiceError) -> None:
    if not isinstance(refused, ValidationError):
        form.add_error(None, refused.message)
        return
    for texts in ((refused.details or {}).get("fields") or {}).values():
        form.add_error("config_yaml", texts)
