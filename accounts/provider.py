"""The identity provider of the workspace, over OpenID Connect. allauth finds `provider_classes` here by its name."""

import logging
from typing import Any

import requests
from allauth.account.models import EmailAddress
from allauth.socialaccount.providers.base import AuthAction
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView, OAuth2LoginView
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import urlencode

from accounts.sign_in.provider_answers import check_claims, check_configuration, check_tokens
from accounts.sign_in.recent_sign_in import note_request_of_proof
from wire.clock import now
from wire.outgoing.http_client import conversation

log = logging.getLogger(__name__)
LOGIN_PATH, CALLBACK_PATH = "/accounts/oidc/login/", "/accounts/oidc/login/callback/"


class Adapter(OpenIDConnectOAuth2Adapter):
    """Sends people back to PUBLIC_URL, whatever Host the request named."""

    def get_callback_url(self, request: HttpRequest, app: Any) -> str:
        return settings.PUBLIC_URL + CALLBACK_PATH

    @property
    def openid_config(self) -> dict[str, Any]:
        found: dict[str, Any] = super().openid_config
        check_configuration(found)
        return found

    def parse_token(self, data: Any) -> Any:
        check_tokens(data)
        return super().parse_token(data)


class Provider(OpenIDConnectProvider):
    id = "oidc"
    oauth2_adapter_class = Adapter
    pkce_enabled_default = True

    def get_login_url(self, request: HttpRequest, **parameters: Any) -> str:
        return f"{LOGIN_PATH}?{urlencode(parameters)}" if parameters else LOGIN_PATH

    def get_callback_url(self) -> str:
        return CALLBACK_PATH

    def sociallogin_from_response(self, request: HttpRequest, response: dict[str, Any]) -> Any:
        """`response` is what the userinfo endpoint and the ID token say."""
        for claims in response.values():
            check_claims(claims)
        return super().sociallogin_from_response(request, response)

    def extract_email_addresses(self, data: dict[str, Any]) -> list[EmailAddress]:
        """Verified is what the provider says is true, and nothing like it."""
        addresses = super().extract_email_addresses(data)
        for address in addresses:
            address.verified = address.verified is True
        return addresses

    def get_auth_params_from_request(self, request: HttpRequest, action: str) -> dict[str, Any]:
        """Who is to confirm who they are is asked by the provider, even if it still knows them."""
        parameters: dict[str, Any] = super().get_auth_params_from_request(request, action)
        if action != AuthAction.REAUTHENTICATE:
            return parameters
        note_request_of_proof(request.session, at=now())
        return parameters | {"prompt": "login", "max_age": "0"}

    def get_oauth2_adapter(self, request: HttpRequest) -> Adapter:
        return Adapter(request, self.id)


provider_classes = [Provider]


def login(request: HttpRequest) -> HttpResponse:
    """Off to the provider. A link, not a form: the content policy would stop a form's redirect to another host."""
    return _run_provider_view(OAuth2LoginView, request)


def callback(request: HttpRequest) -> HttpResponse:
    return _run_provider_view(OAuth2CallbackView, request)


def _run_provider_view(view: Any, request: HttpRequest) -> HttpResponse:
    if not settings.OIDC_NAME:
        raise Http404
    try:
        with conversation():
            return view.adapter_view(Adapter(request, Provider.id))(request)
    except requests.RequestException:
        log.warning("the identity provider is out of reach", exc_info=True)
        text = "The identity provider does not answer. Try again in a moment; local accounts still work."
        return render(request, "account/refused.html", {"text": text}, status=503)
