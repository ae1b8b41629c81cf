"""The page behind an invitation: a name and a password, and one is in."""

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
from accounts.sign_in.invitations import InvitationInvalid, accept_invitation, find_invitation
from wire.clock import now
from wire.errors import Conflict
from wire.form_fields import NameField


class InvitedForm(forms.Form):
    display_name = NameField(max_length=100, label="Your name")
    password = forms.CharField(max_length=1_000, strip=False)

    def __init__(self, *given: Any, email: str) -> None:
        super().__init__(*given)
        self.email = email

    def clean(self) -> dict[str, Any]:
        """A password that resembles the name or the address is refused, as are short and common ones."""
        given = self.cleaned_data
        person = User(email=self.email, display_name=given.get("display_name", ""))
        try:
            validate_password(given.get("password", ""), user=person)
        except ValidationError as error:
            self.add_error("password", error)
        return given


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def invited(request: HttpRequest, secret: str) -> HttpResponse:
    at = now()
    try:
        invitation = find_invitation(secret, at=at)
        form = InvitedForm(request.POST or None, email=invitation.email)
        if request.method == "POST" and form.is_valid():
            user = accept_invitation(secret, **form.cleaned_data, at=at)
            login(request, user, backend="allauth.account.auth_backends.AuthenticationBackend")
            return redirect("/")
    except (InvitationInvalid, Conflict) as refused:
        return render(request, "accounts/password_link_spent.html", {"text": refused.message}, status=refused.status)
    shown = {"form": form, "invitation": invitation}
    return render(request, "accounts/invited.html", shown, status=400 if form.errors else 200)
