"""One voice for limits: what forms and serializers say of too much and too little, in the same words."""

from django.core import validators
from rest_framework import serializers

TOO_LONG, TOO_SHORT = "Too long: at most {} characters.", "Too short: at least {} characters."
TOO_LARGE, TOO_SMALL = "Too large: at most {}.", "Too small: at least {}."
TOO_MANY, TOO_FEW = "Too many: at most {} are taken.", "Too few: at least {} are needed."


def unify_wording() -> None:
    """Messages of both libraries are attributes of their classes, read when a field is made or judges."""
    for validator, words in (
        (validators.MaxLengthValidator, TOO_LONG),
        (validators.MinLengthValidator, TOO_SHORT),
        (validators.MaxValueValidator, TOO_LARGE),
        (validators.MinValueValidator, TOO_SMALL),
    ):
        validator.message = words.format("%(limit_value)s")
    texts = {"max_length": TOO_LONG.format("{max_length}"), "min_length": TOO_SHORT.format("{min_length}")}
    numbers = {"max_value": TOO_LARGE.format("{max_value}"), "min_value": TOO_SMALL.format("{min_value}")}
    several = {"max_length": TOO_MANY.format("{max_length}"), "min_length": TOO_FEW.format("{min_length}")}
    for field in (serializers.IntegerField, serializers.FloatField, serializers.DecimalField):
        field.default_error_messages |= numbers
    serializers.ListField.default_error_messages |= several
    serializers.ListSerializer.default_error_messages |= several
    serializers.CharField.default_error_messages |= texts
