"""REST: people; tokens and users, which belong to the dashboard and stay out of the OpenAPI document."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts import access, members, people, tokens
from accounts.authentication import caller_of
from accounts.rate_limits import BAD_CREDENTIALS, count_hit
from accounts.serializers import (
    InvitationSerializer,
    ListedPersonSerializer,
    NewInvitationSerializer,
    NewTokenSerializer,
    PeopleParams,
    TokenExchangeSerializer,
    TokenSerializer,
    UserChangeSerializer,
    UserSerializer,
)
from accounts.sign_in.invitations import invite
from accounts.sign_in.login_codes import LoginCodeNotGood, exchange_code
from accounts.sign_in.mailed_links import mail_invitation, mail_password_link
from accounts.sign_in.password_links import make_member_link
from accounts.viewsets import ViewSet
from instruments.groups.catalogue import find_groups
from wire.clock import format_timestamp, now
from wire.inputs import read_body, read_query
from wire.lists.pagination import paginate, present_page, read_window, window_from
from wire.openapi import page_serializer
from wire.outputs import make_presenter, represent


class PeopleViewSet(ViewSet):
    access = {"list": access.ANY_CALLER}
    tag = "People"

    @extend_schema(parameters=[PeopleParams], responses={200: page_serializer(ListedPersonSerializer)})
    def list(self, request: Request) -> Response:
        """The people of the workspace by name, to be named in `ranBy` and in messages."""
        asked = read_query(PeopleParams, request.query_params)
        page = paginate(people.list_people(asked.get("search", "")), window_from(asked))
        return Response(present_page(page, make_presenter(ListedPersonSerializer)))


@extend_schema(exclude=True)
class TokenViewSet(ViewSet):
    access = {"list": access.TOKENS_READ, "create": access.TOKENS_CREATE, "destroy": access.TOKENS_MANAGE}

    def list(self, request: Request) -> Response:
        page = paginate(tokens.list_tokens(by=caller_of(request)), read_window(request.query_params))
        return Response(present_page(page, make_presenter(TokenSerializer)))

    def create(self, request: Request) -> Response:
        asked = read_body(NewTokenSerializer, request.data)
        new = tokens.create_token(**asked, by=caller_of(request).user, at=now())
        return _present_new(new)

    def destroy(self, request: Request, token_id: Any) -> Response:
        tokens.revoke_token(token_id=token_id, by=caller_of(request), at=now())
        return Response(status=204)


@extend_schema(exclude=True)
class TokenExchangeViewSet(ViewSet):
    """Where `ids-data login` gets the token that its person allowed in the browser."""

    access = {"create": access.TOKENS_EXCHANGE}
    authentication_classes = ()

    def create(self, request: Request) -> Response:
        asked = read_body(TokenExchangeSerializer, request.data)
        try:
            new = exchange_code(asked["code"], verifier=asked["code_verifier"], at=now())
        except LoginCodeNotGood:
            count_hit(BAD_CREDENTIALS, request.META.get("REMOTE_ADDR", ""))
            raise
        return _present_new(new)


def _present_new(new: tokens.NewToken) -> Response:
    shown = {**represent(TokenSerializer, new.token), "token": new.text}
    return Response(shown, status=201, headers={"Cache-Control": "no-store"})


@extend_schema(exclude=True)
class UserViewSet(ViewSet):
    access = {
        "list": access.USERS_MANAGE,
        "partial_update": access.USERS_MANAGE,
        "make_reset_link": access.USERS_MANAGE,
    }

    def list(self, request: Request) -> Response:
        page = paginate(members.list_users(), read_window(request.query_params))
        return Response(present_page(page, make_presenter(UserSerializer)))

    def partial_update(self, request: Request, user_id: Any) -> Response:
        asked = read_body(UserChangeSerializer, request.data)
        user = members.set_admin(user_id=user_id, by=caller_of(request), **asked)
        return Response(represent(UserSerializer, user))

    def make_reset_link(self, request: Request, user_id: Any) -> Response:
        link = settings.PUBLIC_URL + make_member_link(user_id=user_id, by=caller_of(request))
        mailed = mail_password_link(user_id=user_id, link=link)
        expires_at = now() + timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT)
        shown = {"url": link, "expires_at": format_timestamp(expires_at), "mailed": mailed}
        return Response(shown, status=201)


@extend_schema(exclude=True)
class InvitationViewSet(ViewSet):
    access = {"create": access.USERS_MANAGE}

    def create(self, request: Request) -> Response:
        by, asked = caller_of(request), read_body(NewInvitationSerializer, request.data)
        find_groups(asked.get("group_ids", ()), by=by)
        new = invite(**asked, by=by, at=now())
        link = settings.PUBLIC_URL + new.path
        shown = represent(InvitationSerializer, new.invitation)
        mailed = mail_invitation(new.invitation, link=link)
        return Response({**shown, "url": link, "mailed": mailed}, status=201)
