from allauth.account import views as allauth
from django.urls import include, path
from oauth2_provider.views import OAuthServerMetadataView, RevokeTokenView

from accounts import provider
from accounts.api import TokenViewSet, UserViewSet
from accounts.oauth_endpoints import Authorization, Registration, RegistrationManagement, ResourceMetadata, Tokens
from accounts.pages.ai_clients import ai_clients
from accounts.pages.first_admin import first_admin
from accounts.pages.members import members
from accounts.pages.profile import password, profile, settings_home
from accounts.pages.tokens import new_token, revoke_tokens, token_list

api = [
    path("tokens", TokenViewSet.as_view({"get": "list", "post": "create"})),
    path("tokens/<id:token_id>", TokenViewSet.as_view({"delete": "destroy"})),
    path("users", UserViewSet.as_view({"get": "list"})),
    path("users/<id:user_id>", UserViewSet.as_view({"patch": "partial_update"})),
]

oauth = [  # the names by which the toolkit finds its endpoints; of its own pages none is served
    path(".well-known/oauth-authorization-server", OAuthServerMetadataView.as_view(), name="oauth-server-metadata"),
    path(".well-known/oauth-protected-resource/<path:resource_path>", ResourceMetadata.as_view()),
    path("oauth/authorize", Authorization.as_view(), name="authorize"),
    path("oauth/token", Tokens.as_view(), name="token"),
    path("oauth/revoke", RevokeTokenView.as_view(), name="revoke-token"),
    path("oauth/register", Registration.as_view(), name="dcr-register"),
    path("oauth/register/<str:client_id>", RegistrationManagement.as_view(), name="dcr-register-management"),
]

pages = [  # of allauth's pages only these: nobody registers, resets a password or changes an address by themselves
    path("accounts/login/", allauth.login, name="account_login"),
    path("accounts/logout/", allauth.logout, name="account_logout"),
    path("accounts/inactive/", allauth.account_inactive, name="account_inactive"),
    path("accounts/oidc/login/", provider.login, name="oidc_login"),
    path("accounts/oidc/login/callback/", provider.callback, name="oidc_callback"),
    path("accounts/first/<str:secret>/", first_admin, name="first_admin"),
    path("settings", settings_home, name="settings"),
    path("settings/profile", profile, name="profile"),
    path("settings/password", password, name="password"),
    path("settings/ai-clients", ai_clients, name="ai_clients"),
    path("settings/tokens", token_list, name="tokens"),
    path("settings/tokens/new", new_token, name="new_token"),
    path("settings/tokens/revoke", revoke_tokens, name="revoke_tokens"),
    path("settings/members", members, name="members"),
    path("", include((oauth, "oauth2_provider"))),
]
