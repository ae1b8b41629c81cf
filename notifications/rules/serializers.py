"""Wire shapes of notification rules."""

from typing import Any

from rest_framework import serializers

from accounts.people import identify_person
from accounts.serializers import PersonRefSerializer
from notifications.rules.catalogue import RuleWish, describe_rule
from notifications.rules.models import NotificationRule, RuleEvent, Whose
from runs.serializers import Tag
from wire.fields import Choice, StrictBoolean, Text, Timestamp, Uuid
from wire.inputs import read_body


class NotificationRuleSerializer(serializers.Serializer[NotificationRule]):
    id = Uuid()
    event = Choice(choices=RuleEvent.choices)
    whose = Choice(choices=Whose.choices)
    person = PersonRefSerializer(allow_null=True)
    instrument_id = serializers.CharField(allow_null=True)
    project_id = Uuid(allow_null=True)
    tag = serializers.CharField(allow_blank=True)
    in_app = serializers.BooleanField()
    email = serializers.BooleanField()
    paused_at = Timestamp(allow_null=True)
    created_at = Timestamp()
    sentence = serializers.SerializerMethodField()

    def get_sentence(self, rule: NotificationRule) -> str:
        return describe_rule(rule)


class NewRuleSerializer(serializers.Serializer[Any]):
    event = Choice(choices=RuleEvent.choices)
    whose = Choice(choices=Whose.choices, required=False)
    person = Text(min_length=1, max_length=100, required=False, allow_null=True)
    instrument_id = Text(max_length=64, required=False, allow_null=True)
    project_id = Uuid(required=False, allow_null=True)
    tag = Tag(required=False)
    in_app = StrictBoolean(required=False)
    email = StrictBoolean(required=False)


class RuleChangeSerializer(serializers.Serializer[Any]):
    paused = StrictBoolean(required=False)
    in_app = StrictBoolean(required=False)
    email = StrictBoolean(required=False)


def read_rule_wish(given: Any) -> RuleWish:
    """What a body asks for; `person` is a name or an id. Raises ValidationError."""
    asked = read_body(NewRuleSerializer, given)
    person = asked.pop("person", None)
    person_id = identify_person(person, parameter="person") if person else None
    whose = Whose(asked.pop("whose", Whose.ANYBODY))
    return RuleWish(RuleEvent(asked.pop("event")), whose, person_id, **asked)
