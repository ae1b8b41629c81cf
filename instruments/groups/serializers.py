"""Wire shapes of groups."""

from typing import Any

from rest_framework import serializers

from instruments.groups.models import Group, GroupRole
from wire.fields import Choice, Name, Text, Timestamp, Uuid

MAX_MEMBERS, MAX_INSTRUMENTS = 1_000, 2_000


class MemberSerializer(serializers.Serializer[Any]):
    person_id = Uuid()
    display_name = serializers.CharField(source="person.name")
    role = Choice(choices=GroupRole.choices)


class GroupSerializer(serializers.Serializer[Group]):
    id = Uuid()
    name = serializers.CharField()
    members = MemberSerializer(many=True, source="memberships")
    instrument_ids = serializers.SerializerMethodField()
    claimed_as = serializers.CharField(allow_null=True)
    created_at = Timestamp()

    def get_instrument_ids(self, group: Group) -> list[str]:
        return [entry.instrument_id for entry in group.group_instruments.all()]


class NewMemberSerializer(serializers.Serializer[Any]):
    person_id = Uuid()
    role = Choice(choices=GroupRole.choices, default=GroupRole.MEMBER)


class GroupChangeSerializer(serializers.Serializer[Any]):
    name = Name(max_length=255, required=False)
    members = serializers.ListField(child=NewMemberSerializer(), max_length=MAX_MEMBERS, required=False)
    instrument_ids = serializers.ListField(child=Text(max_length=64), max_length=MAX_INSTRUMENTS, required=False)
    claimed_as = Name(max_length=255, required=False, allow_null=True)


class NewGroupSerializer(GroupChangeSerializer):
    name = Name(max_length=255)
