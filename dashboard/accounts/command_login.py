"""Where `ids-data login` sends its person: to allow it a token, and back to the command with a code for one.

The command listens on this person's own computer, so the answer goes to 127.0.0.1 and nowhere else: the request names
a port, never an address.
"""

from dataclasses import dataclass
from urllib.parse import urlencode

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.access import TOKEN_ASKED_FOR, TOKENS_CREATE
from accounts.authentication import caller_of_page
from accounts.sign_in.login_codes import LoginAlreadyAllowed, allow_login, pairing_code
from dashboard.accounts.confirmation import ask_to_confirm
from dashboard.accounts.tokens import CUSTOM_PRESET, describe_form, make_form
from dashboard.guard import page
from wire.clock import now
from wire.errors import Forbidden, ValidationError
from wire.form_fields import NameField

USUAL_NAME = "ids-data"
OFFERED_PRESETS = ("read", "send", CUSTOM_PRESET)  # agents and workers get their tokens elsewhere


class LoginRequestForm(forms.Form):
    """What the command put into the address."""

    code_challenge = forms.RegexField(r"\A[A-Za-z0-9_-]{43}\Z")
    state = forms.RegexField(r"\A[A-Za-z0-9_-]{16,128}\Z")
    port = forms.IntegerField(min_value=1_024, max_value=65_535)
    name = NameField(max_length=100, required=False)


@dataclass(frozen=True)
class LoginRequest:
    challenge: str
    state: str
    port: int
    name: str

    @property
    def place(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def answer(self, **told: str) -> HttpResponse:
        return HttpResponseRedirect(f"{self.place}/callback?{urlencode({**told, 'state': self.state})}")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@page(TOKEN_ASKED_FOR)
def command_login(request: HttpRequest) -> HttpResponse:
    asked = _read_request(request)
    if asked is None:
        return _render_end(request, "unreadable", status=400)
    response = _answer(request, asked)
    response._csp_update = {"form-action": [asked.place]}  # type: ignore[attr-defined]  # browsers judge where a form leads
    return response


def _answer(request: HttpRequest, asked: LoginRequest) -> HttpResponse:
    by = caller_of_page(request)
    if request.method == "POST" and "deny" in request.POST:
        return asked.answer(error="access_denied")
    try:
        TOKENS_CREATE.check(by)
    except Forbidden:
        return _render_end(request, "no_admin", status=403)
    question = ask_to_confirm(request, by)
    return question or _ask_or_allow(request, asked)


def _ask_or_allow(request: HttpRequest, asked: LoginRequest) -> HttpResponse:
    by, at = caller_of_page(request), now()
    form = make_form(request.POST or None, preset="read", name=asked.name, by=by)
    if request.method == "POST" and form.is_valid():
        try:
            return asked.answer(code=allow_login(asked.challenge, wanted=form.wanted(at), by=by, at=at))
        except LoginAlreadyAllowed:
            return _render_end(request, "answered", status=409)
        except ValidationError as refused:
            form.add_error("scopes", refused.message)
    shown = describe_form(form, presets=OFFERED_PRESETS) | {"asked": asked, "pairing": pairing_code(asked.challenge)}
    return render(request, "accounts/command_login.html", shown, status=400 if form.errors else 200)


def _render_end(request: HttpRequest, reason: str, *, status: int) -> HttpResponse:
    return render(request, "accounts/command_login_end.html", {"reason": reason}, status=status)


def _read_request(request: HttpRequest) -> LoginRequest | None:
    form = LoginRequestForm(request.GET)
    if not form.is_valid():
        return None
    read = form.cleaned_data
    return LoginRequest(read["code_challenge"], read["state"], read["port"], read["name"] or USUAL_NAME)
