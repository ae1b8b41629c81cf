"""Wire shapes of tokens and users."""

from typing import Any

from rest_framework import serializers

from accounts.models import Invitation, User
from wire.fields import BoundedList, Name, StrictBoolean, Text, Timestamp, Uuid
from wire.lists.pagination import PageParams


class PersonSerializer(serializers.Serializer[User]):
    """A person as others see them."""

    id = Uuid()
    display_name = serializers.CharField(source="name")
    initials = serializers.CharField()


class ListedPersonSerializer(PersonSerializer):
    is_active = serializers.BooleanField(help_text="Whether they may sign in.")


class PeopleParams(PageParams):
    search = Text(max_length=200, required=False, help_text="Part of a name, in any case.")


class PersonRefSerializer(serializers.Serializer[User]):
    id = Uuid()
    display_name = serializers.CharField(source="name")


class TokenRefSerializer(serializers.Serializer[Any]):
    id = Uuid()
    name = serializers.CharField()


class TokenSerializer(serializers.Serializer[Any]):
    id = Uuid()
    name = serializers.CharField()
    token_prefix = serializers.CharField(source="prefix")
    scopes = serializers.ListField(child=serializers.CharField())
    instrument_ids = serializers.ListField(child=serializers.CharField(), allow_null=True)
    created_by = PersonRefSerializer(allow_null=True)
    last_used_at = Timestamp(allow_null=True)
    expires_at = Timestamp(allow_null=True)
    created_at = Timestamp()


class NewTokenSerializer(serializers.Serializer[Any]):
    name = Name(min_length=1, max_length=100)
    scopes = BoundedList(child=Text(max_length=40), allow_empty=False, max_length=100)
    expires_at = Timestamp(required=False, allow_null=True)
    instrument_ids = BoundedList(
        child=Text(max_length=64), allow_empty=False, max_length=1_000, required=False, allow_null=True
    )


class TokenExchangeSerializer(serializers.Serializer[Any]):
    code = Text(max_length=64)
    code_verifier = Text(min_length=43, max_length=128)


class UserSerializer(serializers.Serializer[User]):
    id = Uuid()
    email = serializers.CharField()
    display_name = serializers.CharField(source="name")
    is_admin = serializers.BooleanField()
    is_active = serializers.BooleanField()
    last_login = Timestamp(allow_null=True)


class UserChangeSerializer(serializers.Serializer[Any]):
    is_admin = StrictBoolean()


class NewInvitationSerializer(serializers.Serializer[Any]):
    email = serializers.EmailField(max_length=254)
    is_admin = StrictBoolean(required=False)
    group_ids = BoundedList(child=Uuid(), required=False, max_length=200)


class InvitationSerializer(serializers.Serializer[Invitation]):
    id = Uuid()
    expires_at = Timestamp()
