"""Numbers as JSON and NDJSON write them: whole to the last bit, and what is no finite number as promised."""

import json
import math
import random
import struct
from contextlib import suppress

import numpy
import pyarrow
import pytest

from datasets.columns import ColumnInfo
from datasets.row_formats import RowFormat, encode_json, stream_rows

TYPES = {"x": "float64", "narrow": "float32", "n": "int64", "word": "string", "is": "bool", "at": "timestamp"}


class Answer:
    """One batch of columns."""

    limit, offset, total = None, 0, None

    def __init__(self, **columns):
        self.batch = pyarrow.RecordBatch.from_pydict(columns)
        self.columns = [ColumnInfo(name, TYPES[name], None, "value", "") for name in columns]
        self.schema = self.batch.schema
        self.is_closed = False

    def batches(self):
        yield self.batch

    def close(self):
        self.is_closed = True


def read_json(**columns):
    return json.loads(encode_json(Answer(**columns)))["data"]


def read_ndjson(**columns):
    lines = b"".join(stream_rows(Answer(**columns), RowFormat.NDJSON)).decode().split("\n")[:-1]
    return [json.loads(line) for line in lines]


def bits_of(value):
    return struct.pack(">d", value)


def make_numbers():
    seeded = random.Random(17)
    drawn = [struct.unpack(">d", seeded.randbytes(8))[0] for _ in range(5_000)]
    edges = [0.0, -0.0, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 0.1, 1e16, 1e22, 123456789.123456789]
    return [*edges, *filter(math.isfinite, drawn)]


@pytest.mark.parametrize("read", [read_json, read_ndjson])
def test_every_bit_of_a_number_comes_back(read):
    numbers = make_numbers()

    rows = read(x=numbers)

    assert [bits_of(row[0] if isinstance(row, list) else row["x"]) for row in rows] == list(map(bits_of, numbers))


def test_narrow_numbers_are_widened_without_loss():
    narrow = numpy.array([0.1, 3.4028235e38, 1e-45], "float32")

    assert [row[0] for row in read_json(narrow=pyarrow.array(narrow))] == [float(value) for value in narrow]


def test_in_json_what_is_no_finite_number_is_null():
    assert read_json(x=[1.5, math.nan, math.inf, -math.inf, None]) == [[1.5], [None], [None], [None], [None]]


def test_in_lines_it_is_itself_and_only_nothing_is_null():
    first, *rest, last = read_ndjson(x=[1.5, math.nan, math.inf, -math.inf, None])

    assert (first, last) == ({"x": 1.5}, {"x": None})
    assert [str(row["x"]) for row in rest] == ["nan", "inf", "-inf"]


@pytest.mark.parametrize("read", [read_json, read_ndjson])
def test_the_largest_integers_and_any_text_are_themselves(read):
    columns = {
        "n": [-(2**63), 2**63 - 1, None],
        "word": ["a\x00b\u2028", 'µ\u00a0\U0001f600"\\', None],
        "is": [True, None, False],
    }

    rows = read(**columns)

    assert [list(row.values()) if isinstance(row, dict) else row for row in rows] == [
        list(row) for row in zip(*columns.values(), strict=True)
    ]


@pytest.mark.parametrize("read", [read_json, read_ndjson])
def test_a_table_without_rows_has_none(read):
    assert read(x=pyarrow.array([], "float64")) == []


def test_the_answer_is_closed_whatever_happens():
    answer = Answer(x=[1.0])
    answer.batches = lambda: iter([None])

    with suppress(AttributeError):
        encode_json(answer)

    assert answer.is_closed
