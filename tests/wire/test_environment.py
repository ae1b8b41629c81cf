"""Typed readers of the environment, and settings that go by another name than they used to."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from wire.settings.environment import read_number, read_object


def test_a_renamed_setting_is_read_under_its_old_name_with_a_warning(monkeypatch):
    monkeypatch.delenv("MAX_FILES_PER_RUN", raising=False)
    monkeypatch.setenv("MOST_FILES_OF_RUN", "7")

    with pytest.warns(FutureWarning, match="MOST_FILES_OF_RUN is called MAX_FILES_PER_RUN now"):
        assert read_number("MAX_FILES_PER_RUN", 0, formerly="MOST_FILES_OF_RUN") == 7


def test_the_new_name_wins_over_the_old_one(monkeypatch):
    monkeypatch.setenv("MAX_FILES_PER_RUN", "9")
    monkeypatch.setenv("MOST_FILES_OF_RUN", "7")

    assert read_number("MAX_FILES_PER_RUN", 0, formerly="MOST_FILES_OF_RUN") == 9


def test_a_wrong_value_is_named_as_it_was_given(monkeypatch):
    monkeypatch.delenv("MAX_FILES_PER_RUN", raising=False)
    monkeypatch.setenv("MOST_FILES_OF_RUN", "many")

    with (
        pytest.warns(FutureWarning, match="is called"),
        pytest.raises(ImproperlyConfigured, match="MOST_FILES_OF_RUN is 'many'"),
    ):
        read_number("MAX_FILES_PER_RUN", 0, formerly="MOST_FILES_OF_RUN")


def test_an_object_is_read_from_json_and_nothing_else_is_one(monkeypatch):
    assert read_object("S3_OPTIONS") == {}
    monkeypatch.setenv("S3_OPTIONS", '{"verify": "/etc/ssl/lab.pem"}')
    assert read_object("S3_OPTIONS") == {"verify": "/etc/ssl/lab.pem"}


@pytest.mark.parametrize("given", ["[1]", "verify=/x", "{"])
def test_what_is_no_object_is_named(monkeypatch, given):
    monkeypatch.setenv("S3_OPTIONS", given)

    with pytest.raises(ImproperlyConfigured, match="S3_OPTIONS is no JSON object"):
        read_object("S3_OPTIONS")
