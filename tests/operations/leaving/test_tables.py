"""What leaves with a lab is decided field by field."""

import pytest
from django.apps import apps

from accounts.trail.rows import Trail
from operations.leaving.tables import EXPORTED, STAYING

MODELS = [one for one in apps.get_models(include_auto_created=True) if not issubclass(one, Trail)]
SECRETS = ("password", "digest", "secret", "lease", "multipart", "data", "token_checksum")


def test_every_model_leaves_or_stays_and_none_does_both():
    assert {one._meta.label for one in MODELS} == set(EXPORTED) | set(STAYING)
    assert set(EXPORTED) & set(STAYING) == set()


@pytest.mark.parametrize("label", EXPORTED)
def test_every_field_of_what_leaves_was_decided_on(label):
    table, model = EXPORTED[label], apps.get_model(label)

    decided = [*table.columns, *table.computed, *table.left_out]

    assert sorted(decided) == sorted(field.name for field in model._meta.concrete_fields)


@pytest.mark.parametrize("label", EXPORTED)
def test_no_secret_leaves(label):
    leaving = [*EXPORTED[label].columns, *EXPORTED[label].computed]
    if label == "runs.Signature":
        leaving.remove("digest")  # of what was signed

    assert [name for name in leaving if any(name == word or word in name.split("_") for word in SECRETS)] == []
