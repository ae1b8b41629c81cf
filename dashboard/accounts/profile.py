"""The profile page: a person's own name, and the password of a local account."""

from django import forms
from django.conf import settings
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.forms import PasswordChangeForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe

from accounts.access import PROFILE
from accounts.authentication import caller_of_page
from accounts.members import choose_time_zone, rename_person
from accounts.models import User
from accounts.sign_in.attempts import count_attempt, settle_attempt
from dashboard.guard import page
from dashboard.notices import Notice, add_notice
from wire.form_fields import NameField
from wire.time_zones import known_time_zones


def list_zone_choices() -> list[tuple[str, str]]:
    names = sorted(known_time_zones())
    return [("", "as the browser says"), *((name, name) for name in names)]


class ProfileForm(forms.Form):
    display_name = NameField(max_length=100, required=False, label="Name")
    time_zone = forms.ChoiceField(required=False, choices=list_zone_choices, label="Time zone")


@require_safe
@page(PROFILE)
def settings_home(request: HttpRequest) -> HttpResponse:
    return HttpResponseRedirect("/settings/profile")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@page(PROFILE)
def profile_page(request: HttpRequest) -> HttpResponse:
    by = caller_of_page(request)
    kept = {"display_name": by.user.display_name, "time_zone": by.user.time_zone} if by.user else {}
    form = ProfileForm(request.POST or None, initial=kept)
    if request.method == "POST" and form.is_valid():
        rename_person(display_name=form.cleaned_data["display_name"], by=by)
        if "time_zone" in request.POST:
            choose_time_zone(time_zone=form.cleaned_data["time_zone"], by=by)
        add_notice(request, Notice("Saved."))
        return HttpResponseRedirect(request.path)
    shown = {"form": form, "has_provider": bool(settings.OIDC_NAME), "service_zone": settings.TIME_ZONE}
    return render(request, "settings/profile.html", shown, status=400 if form.errors else 200)


@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
@page(PROFILE)
def password_page(request: HttpRequest) -> HttpResponse:
    """Other sessions of this person end; this one stays."""
    assert isinstance(request.user, User)
    form = PasswordChangeForm(request.user, request.POST or None)
    if request.method == "POST" and _is_right(form, address=request.META.get("REMOTE_ADDR", "")):
        update_session_auth_hash(request, form.save())
        add_notice(request, Notice("Your password is changed. Other browsers were signed out."))
        return HttpResponseRedirect("/settings/profile")
    return render(request, "settings/password.html", {"form": form}, status=400 if form.errors else 200)


def _is_right(form: PasswordChangeForm, *, address: str) -> bool:
    """Whoever found a browser open guesses no faster here than at the sign-in."""
    attempt = count_attempt(address=address, account=form.user.email)
    settle_attempt(attempt, succeeded="old_password" not in form.errors)
    return form.is_valid()
