"""Wire shapes of groups."""

from typing import Any
from uuid import UUID

from rest_framework import serializers

from accounts.serializers import PersonSerializer
from instruments.groups.models import Group, GroupRole
from wire.fields import Choice, Name, Text, Timestamp, Uuid

MAX_MEMBERS, MAX_INSTRUMENTS = 1_000, 2_000


class MemberSerializer(serializers.Serializer[Any]):
    person = PersonSerializer()
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


class PersonField(Uuid):
    """A person by the id, or as members are answered: {id, …}."""

    def to_internal_value(self, data: Any) -> UUID:
        return super().to_internal_value(data.get("id") if isinstance(data, dict) else data)


class NewMemberSerializer(serializers.Serializer[Any]):
    person_id = Uuid(required=False)
    person = PersonField(required=False, help_text="In place of `person_id`: the id, or a person as answered.")
    role = Choice(choices=GroupRole.choices, default=GroupRole.MEMBER)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        named = {attrs[name] for name in ("person", "person_id") if name in attrs}
        if len(named) != 1:
            raise serializers.ValidationError({"person_id": "Name one person, by `person_id` or `person`."})
        return {"person_id": named.pop(), "role": attrs["role"]}


class GroupChangeSerializer(serializers.Serializer[Any]):
    name = Name(max_length=255, required=False)
    members = serializers.ListField(child=NewMemberSerializer(), max_length=MAX_MEMBERS, required=False)
    instrument_ids = serializers.ListField(child=Text(max_length=64), max_length=MAX_INSTRUMENTS, required=False)
    claimed_as = Name(max_length=255, required=False, allow_null=True)


class NewGroupSerializer(GroupChangeSerializer):
    name = Name(max_length=255)
