"""Where allauth asks us: who may register, where sign-in leads, how often it may fail."""

import logging
from typing import Any

import requests
from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme

from accounts.models import User
from accounts.sign_in.attempts import count_attempt, settle_attempt
from accounts.sign_in.provider_answers import check_answer
from accounts.sign_in.provisioning import (
    ProviderIdentity,
    announce_groups,
    check_identity,
    provision_user,
    read_groups,
    refresh_role,
)
from accounts.sign_in.recent_sign_in import judge_provider
from wire.clock import now
from wire.errors import Forbidden
from wire.outgoing.http_client import bounded_session

log = logging.getLogger(__name__)


class AccountAdapter(DefaultAccountAdapter):
    error_messages = DefaultAccountAdapter.error_messages | {
        "email_password_mismatch": "Address or password is wrong.",
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def is_safe_url(self, url: str) -> bool:
        """`next` leads within the dashboard: a path, never another host."""
        return url_has_allowed_host_and_scheme(url, allowed_hosts=None)

    def add_message(self, *args: Any, **kwargs: Any) -> None:
        """Nothing to say: the page one lands on shows that it worked."""

    def authenticate(self, request: HttpRequest, **credentials: Any) -> User | None:
        address = request.META.get("REMOTE_ADDR", "")
        attempt = count_attempt(address=address, account=credentials.get("email", ""))
        user: User | None = super().authenticate(request, **credentials)
        settle_attempt(attempt, succeeded=user is not None)
        return user


class SocialAccountAdapter(DefaultSocialAccountAdapter):
    """People of the identity provider join by signing in; who is let in is decided by accounts.sign_in.provisioning."""

    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        return True

    def is_auto_signup_allowed(self, request: HttpRequest, sociallogin: Any) -> bool:
        """There is no form in between: who may join has joined."""
        return True

    def get_requests_session(self) -> requests.Session:
        session = bounded_session()
        session.hooks["response"].append(check_answer)
        return session

    def pre_social_login(self, request: HttpRequest, sociallogin: Any) -> None:
        judge_provider(request, find_auth_time(sociallogin), at=now())
        known = sociallogin.is_existing or sociallogin.state.get("process") == "connect"
        identity = identity_of(sociallogin)
        try:
            check_identity(identity, is_known=known)
        except Forbidden as refused:
            raise ImmediateHttpResponse(render_refusal(request, refused.message)) from None
        if sociallogin.is_existing:
            refresh_role(identity, person=sociallogin.user)
            announce_groups(identity, person=sociallogin.user)

    def save_user(self, request: HttpRequest, sociallogin: Any, form: Any = None) -> User:
        """The new person, with the account of the provider."""
        identity = identity_of(sociallogin)
        sociallogin.user = provision_user(identity, person=sociallogin.user)
        sociallogin.save(request)
        announce_groups(identity, person=sociallogin.user)
        return sociallogin.user

    def get_connect_redirect_url(self, request: HttpRequest, socialaccount: Any) -> str:
        return "/settings/profile"

    def on_authentication_error(self, request: HttpRequest, provider: Any, *args: Any, **kwargs: Any) -> None:
        log.warning("sign-in through the identity provider failed", extra={"reason": str(kwargs.get("error"))})
        text = "The identity provider did not confirm who you are. Try again; if it goes on, tell an admin."
        raise ImmediateHttpResponse(render_refusal(request, text))


def identity_of(sociallogin: Any) -> ProviderIdentity:
    claims = sociallogin.account.get_provider_account().get_user_data() or {}
    return ProviderIdentity(
        email=str(claims.get("email") or "").strip().lower(),
        name=str(claims.get("name") or "")[:100],
        email_verified=claims.get("email_verified"),
        groups=read_groups(claims),
    )


def find_auth_time(sociallogin: Any) -> Any:
    """When the provider asked who this is, as its ID token says; None where it does not."""
    id_token = (sociallogin.account.extra_data or {}).get("id_token")
    return id_token.get("auth_time") if isinstance(id_token, dict) else None


def render_refusal(request: HttpRequest, text: str) -> HttpResponse:
    return render(request, "account/refused.html", {"text": text}, status=403)
