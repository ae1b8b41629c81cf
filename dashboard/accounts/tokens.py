"""Access tokens: the list, a new one, the end of some."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.access import TOKENS_CREATE, TOKENS_MANAGE
from accounts.authentication import caller_of_page
from accounts.callers import Caller
from accounts.models import Token
from accounts.scopes import PRESETS, SCOPE_DESCRIPTIONS, Scope
from accounts.tokens import ENDS_SOON_WITHIN, WantedToken, create_token, list_tokens, revoke_token
from dashboard.guard import page
from dashboard.name_order import sort_instruments
from dashboard.notices import Notice, add_notice
from dashboard.parameters import read_ids
from instruments.catalogue import list_instruments
from wire.clock import now
from wire.errors import NotFound, ValidationError
from wire.form_fields import NameField

CUSTOM_PRESET, LIFETIMES = "own", {"30": "30 days", "90": "90 days", "365": "1 year", "": "Never"}
USUAL_LIFETIME = "90"
LIFETIME_OF_PRESET = {"watcher": ""}  # an agent whose token ends falls silent when nobody looks
PRESET_NAMES = {"watcher": "Watcher", "read": "Read only", "send": "Read and send", "worker": "Worker"}
PRESET_PURPOSES = {
    "watcher": "An agent on an instrument's computer",
    "read": "Scripts and notebooks that look",
    "send": "Scripts that put runs in, too",
    "worker": "Processing outside the service",
    CUSTOM_PRESET: "Pick the scopes below",
}


class TokenForm(forms.Form):
    name = NameField(max_length=100, label="Name")
    preset = forms.ChoiceField(
        choices=[(key, PRESET_NAMES.get(key, "My own choice")) for key in PRESET_PURPOSES], initial="watcher"
    )
    scopes = forms.MultipleChoiceField(choices=Scope.choices(), required=False)
    ends = forms.ChoiceField(choices=list(LIFETIMES.items()), required=False, initial=USUAL_LIFETIME)
    instruments = forms.MultipleChoiceField(required=False)

    @property
    def chosen_scopes(self) -> list[str]:
        """Those of the preset, or the boxes that were ticked."""
        preset = self.cleaned_data["preset"]
        return list(self.cleaned_data["scopes"] if preset == CUSTOM_PRESET else PRESETS[PRESET_NAMES[preset]])

    def wanted(self, at: datetime) -> WantedToken:
        days = self.cleaned_data["ends"]
        return WantedToken(
            name=self.cleaned_data["name"],
            scopes=self.chosen_scopes,
            expires_at=at + timedelta(days=int(days)) if days else None,
            instrument_ids=self.cleaned_data["instruments"] or None,
        )


def make_form(data: Any, *, preset: str, name: str = "", by: Caller) -> TokenForm:
    """With the instruments that the caller sees; `data` is None before anything was sent."""
    ends = LIFETIME_OF_PRESET.get(preset, USUAL_LIFETIME)
    form = TokenForm(data, initial={"preset": preset, "ends": ends, "name": name})
    seen = [(one.pk, one.display_name) for one in sort_instruments(list_instruments(by=by))]
    form.fields["instruments"].choices = seen  # type: ignore[attr-defined]
    return form


def describe_form(form: TokenForm, *, presets: Iterable[str] = PRESET_PURPOSES) -> dict[str, object]:
    """What settings/_token_fields.html shows."""
    return {"form": form, "presets": [_describe_preset(key) for key in presets], "meaning": SCOPE_DESCRIPTIONS.items()}


@never_cache
@require_safe
@page(TOKENS_MANAGE)
def token_list(request: HttpRequest) -> HttpResponse:
    return render(request, "settings/tokens.html", _build_list_context(by=caller_of_page(request), at=now()))


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@page(TOKENS_CREATE)
def new_token(request: HttpRequest) -> HttpResponse:
    """The form; once it is right, the list with the text of the new token, which is never shown again."""
    by, at = caller_of_page(request), now()
    form = make_form(request.POST or None, preset=request.GET.get("preset", "watcher"), by=by)
    if request.method == "POST" and form.is_valid():
        try:
            made = create_token(**vars(form.wanted(at)), by=by.user, at=at)
        except ValidationError as refused:
            form.add_error("scopes", refused.message)
        else:
            return render(
                request, "settings/tokens.html", _build_list_context(by=by, at=at) | {"made": made}, status=201
            )
    return render(request, "settings/new_token.html", describe_form(form), status=400 if form.errors else 200)


@require_POST
@page(TOKENS_MANAGE)
def revoke_tokens(request: HttpRequest) -> HttpResponse:
    """Asked once more, because nothing brings a token back."""
    by, at = caller_of_page(request), now()
    tokens = list(list_tokens(by=by).filter(pk__in=read_ids(request.POST.getlist("token"), of="tokens")))
    if "sure" not in request.POST and tokens:
        return render(request, "settings/revoke_tokens.html", {"tokens": tokens, "at": at})
    for token in tokens:
        _revoke_unless_gone(token, by=by, at=at)
    done = f"{len(tokens)} token{'' if len(tokens) == 1 else 's'} revoked." if tokens else "No token was selected."
    add_notice(request, Notice(done, is_bad=not tokens))
    return HttpResponseRedirect("/settings/tokens")


def _revoke_unless_gone(token: Token, *, by: Caller, at: datetime) -> None:
    try:
        revoke_token(token_id=token.pk, by=by, at=at)
    except NotFound:
        return  # somebody else was faster


def _build_list_context(*, by: Caller, at: datetime) -> dict[str, object]:
    rows = [(token, preset_name_of(token)) for token in list_tokens(by=by)[:1_000]]
    return {"rows": rows, "at": at, "soon": at + ENDS_SOON_WITHIN}


def preset_name_of(token: Token) -> str:
    """The preset it has the scopes of, else how many scopes it has."""
    scopes = frozenset(token.scopes)
    named = next((name for name, preset in PRESETS.items() if scopes == frozenset(map(str, preset))), None)
    return named or f"{len(scopes)} scope{'' if len(scopes) == 1 else 's'}"


def _describe_preset(key: str) -> dict[str, str]:
    return {
        "key": key,
        "name": PRESET_NAMES.get(key, "My own choice"),
        "purpose": PRESET_PURPOSES[key],
        "ends": LIFETIME_OF_PRESET.get(key, USUAL_LIFETIME),
        "scopes": " ".join(sorted(PRESETS[PRESET_NAMES[key]])) if key in PRESET_NAMES else "",
    }
