"""What people say of a view when they save it."""

from typing import Any

from rest_framework import serializers

from runs.saved_views.models import MAX_NAME_CHARACTERS, MAX_QUERY_CHARACTERS
from wire.fields import Name, Text


class SavedViewSerializer(serializers.Serializer[Any]):
    name = Name(max_length=MAX_NAME_CHARACTERS)
    query = Text(max_length=MAX_QUERY_CHARACTERS, allow_blank=True)
    is_shared = serializers.BooleanField()
