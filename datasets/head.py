"""The first rows of a dataset, as JSON has them."""

from datasets.models import Dataset
from datasets.row_formats import plain_rows
from datasets.row_query import RowRequest
from datasets.rows import read_rows


def read_head(dataset: Dataset, *, rows: int) -> list[list[object]]:
    """The first rows."""
    answer = read_rows(dataset, RowRequest(limit=rows))
    try:
        return [row for batch in answer.batches() for row in plain_rows(batch)]
    finally:
        answer.close()
