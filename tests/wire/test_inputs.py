import pytest
from rest_framework import serializers

from wire.errors import ValidationError
from wire.fields import Text
from wire.inputs import read_change


class Record(serializers.Serializer[dict[str, str]]):
    id = Text()
    name = Text()


class Change(serializers.Serializer[dict[str, str]]):
    name = Text(required=False)


def test_a_change_is_what_may_be_changed():
    assert read_change(Change, {"name": "new", "id": "x", "colour": "red"}, record=Record) == {"name": "new"}


def test_what_only_the_server_sets_is_known_and_ignored():
    assert read_change(Change, {"id": "x"}, record=Record) == {}


@pytest.mark.parametrize("body", [{}, {"colour": "red"}])
def test_a_change_of_nothing_known_is_refused(body):
    with pytest.raises(ValidationError):
        read_change(Change, body, record=Record)
