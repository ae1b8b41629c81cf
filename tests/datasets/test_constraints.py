"""What the database itself refuses of a dataset."""

import pytest
from django.db import IntegrityError, transaction

from tests.datasets.making import make_dataset

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"kind": "moon"}, "dataset_kind_is_known"),
        ({"name": "Not plain"}, "dataset_name_is_plain"),
        ({"columns": {}}, "dataset_columns_are_an_array"),
        ({"column_names": []}, "dataset_has_columns"),
        ({"row_count": -1}, "dataset_rows_are_counted"),
    ],
)
def test_a_dataset_that_breaks_a_rule_is_refused(fields, name):
    with pytest.raises(IntegrityError, match=name), transaction.atomic():
        make_dataset({"a": [1.0]}, **fields)


def test_a_file_has_one_dataset_of_a_name():
    first = make_dataset({"a": [1.0]})

    with pytest.raises(IntegrityError, match="one_dataset_per_file_and_name"), transaction.atomic():
        make_dataset({"a": [1.0]}, run=first.run, source_file=first.source_file)
