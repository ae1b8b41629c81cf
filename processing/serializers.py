"""Wire shapes of reprocessing."""

from rest_framework import serializers

from processing.requests import Reprocessed


class ReprocessedSerializer(serializers.Serializer[Reprocessed]):
    files_queued = serializers.IntegerField()
    files_skipped = serializers.IntegerField(help_text="Nothing is stored of them yet.")
