"""Forms and serializers tell of limits in the same words."""

import pytest
from django import forms
from rest_framework import serializers


class Page(forms.Form):
    name = forms.CharField(max_length=3)
    code = forms.CharField(min_length=3)
    wave = forms.IntegerField(max_value=100)
    days = forms.IntegerField(min_value=1)


class Rest(serializers.Serializer[object]):
    name = serializers.CharField(max_length=3)
    code = serializers.CharField(min_length=3)
    wave = serializers.IntegerField(max_value=100)
    days = serializers.IntegerField(min_value=1)
    tags = serializers.ListField(max_length=1)


GIVEN = {"name": "long", "code": "ab", "wave": 101, "days": 0, "tags": ["a", "b"]}


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("name", "Too long: at most 3 characters."),
        ("code", "Too short: at least 3 characters."),
        ("wave", "Too large: at most 100."),
        ("days", "Too small: at least 1."),
    ],
)
def test_a_page_and_the_api_say_the_same(field, said):
    page, rest = Page(GIVEN), Rest(data=GIVEN)
    rest.is_valid()

    assert page.errors[field] == [said]
    assert rest.errors[field] == [said]


def test_a_list_of_too_many_says_so():
    rest = Rest(data=GIVEN)
    rest.is_valid()

    assert rest.errors["tags"] == ["Too many: at most 1 are taken."]
