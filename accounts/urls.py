from django.urls import include, path
from oauth2_provider.views import OAuthServerMetadataView, RevokeTokenView

from accounts.api import InvitationViewSet, PeopleViewSet, TokenExchangeViewSet, TokenViewSet, UserViewSet
from accounts.oauth.endpoints import (
    ConsentView,
    RegistrationManagementView,
    RegistrationView,
    ResourceMetadataView,
    TokenEndpointView,
)

api = [
    path("people", PeopleViewSet.as_view({"get": "list"})),
    path("tokens", TokenViewSet.as_view({"get": "list", "post": "create"})),
    path("tokens/exchange", TokenExchangeViewSet.as_view({"post": "create"})),
    path("tokens/<id:token_id>", TokenViewSet.as_view({"delete": "destroy"})),
    path("invitations", InvitationViewSet.as_view({"post": "create"})),
    path("users", UserViewSet.as_view({"get": "list"})),
    path("users/<id:user_id>", UserViewSet.as_view({"patch": "partial_update"})),
    path("users/<id:user_id>/reset-link", UserViewSet.as_view({"post": "make_reset_link"})),
]

protocol = [  # of AI clients; the names by which the toolkit finds its endpoints; of its own pages none is served
    path(".well-known/oauth-authorization-server", OAuthServerMetadataView.as_view(), name="oauth-server-metadata"),
    path(".well-known/oauth-protected-resource/<path:resource_path>", ResourceMetadataView.as_view()),
    path("oauth/authorize", ConsentView.as_view(), name="authorize"),
    path("oauth/token", TokenEndpointView.as_view(), name="token"),
    path("oauth/revoke", RevokeTokenView.as_view(), name="revoke-token"),
    path("oauth/register", RegistrationView.as_view(), name="dcr-register"),
    path("oauth/register/<str:client_id>", RegistrationManagementView.as_view(), name="dcr-register-management"),
]

oauth = [path("", include((protocol, "oauth2_provider")))]
