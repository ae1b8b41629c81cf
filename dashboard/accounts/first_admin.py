"""The page behind the one-time link."""

from typing import Any

from django import forms
from django.contrib.auth import login
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts.models import User
from accounts.sign_in.first_admin import FirstLinkInvalid, is_first_link, use_first_link
from wire.clock import now
from wire.errors import Conflict
from wire.form_fields import NameField


class FirstAdminForm(forms.Form):
    email = forms.EmailField(max_length=254)
    display_name = NameField(max_length=100, required=False, label="Your name")
    password = forms.CharField(max_length=1_000, strip=False)

    def clean(self) -> dict[str, Any]:
        """A password that resembles the name or the address is refused, as are short and common ones."""
        given = self.cleaned_data
        person = User(email=given.get("email", ""), display_name=given.get("display_name", ""))
        try:
            validate_password(given.get("password", ""), user=person)
        except ValidationError as error:
            self.add_error("password", error)
        return given


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def first_admin(request: HttpRequest, secret: str) -> HttpResponse:
    at = now()
    if not is_first_link(secret, at=at):
        return render(request, "accounts/link_spent.html", status=404)
    form = FirstAdminForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            user = use_first_link(secret, **form.cleaned_data, at=at)
        except FirstLinkInvalid:
            return render(request, "accounts/link_spent.html", status=404)
        except Conflict as taken:
            form.add_error("email", taken.message)
        else:
            login(request, user, backend="allauth.account.auth_backends.AuthenticationBackend")
            return redirect("/")
    return render(request, "accounts/first_admin.html", {"form": form}, status=400 if form.errors else 200)
