"""The page behind a link to set a password."""

from uuid import UUID

from django.contrib.auth.forms import SetPasswordForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts.models import User
from accounts.sign_in.password_links import PasswordLinkInvalid, find_person_of_link, use_password_link

MAX_PASSWORD_CHARS = 1_000


@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def password_link(request: HttpRequest, user_id: UUID, secret: str) -> HttpResponse:
    """Whoever set the password signs in with it: a link alone opens no session."""
    try:
        form: SetPasswordForm[User] = SetPasswordForm(find_person_of_link(user_id, secret), request.POST or None)
        for field in form.fields.values():
            field.max_length = MAX_PASSWORD_CHARS  # type: ignore[attr-defined]
        if request.method == "POST" and form.is_valid():
            use_password_link(user_id, secret, password=form.cleaned_data["new_password1"])
            return redirect("/accounts/login/")
    except PasswordLinkInvalid as refused:
        return render(request, "accounts/password_link_spent.html", {"text": refused.message}, status=404)
    shown = {"form": form, "person": form.user}
    return render(request, "accounts/password_link.html", shown, status=400 if form.errors else 200)
