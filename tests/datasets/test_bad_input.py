"""What must not break: hostile names, very many columns, questions too large, a Parquet file damaged in the store."""

from pathlib import Path

import pytest

from datasets import stacking
from datasets.engine import Query
from datasets.models import Dataset
from datasets.sources import locate
from files.storage import object_store
from operations.reconciliation.comparison import Reconciliation
from tests.datasets.making import make_dataset
from tests.datasets.test_engine import ENDLESS
from tests.processing.arrivals import arrived, done
from wire.clock import now

pytestmark = pytest.mark.django_db
HOSTILE = [
    '"; DROP TABLE x; --',
    "' OR 1=1 --",
    "file_row_number",
    "a\tb",
    "🧪",
    "select",
    "__dataset",
    "ÄÖÜ",
    "x" * 300,
]


@pytest.fixture
def api(as_token):
    return as_token("files:read", "runs:read")


def test_hostile_names_of_columns_become_plain_ones_that_can_be_asked(api):
    header = ",".join('"' + name.replace('"', '""') + '"' for name in HOSTILE)
    rows = "".join(",".join(f"{row}.{place}" for place in range(len(HOSTILE))) + "\n" for row in range(1, 20))
    file = done(arrived("hostile.csv", f"{header}\n{rows}".encode()))
    dataset = Dataset.objects.get(source_file=file)

    names = [column["name"] for column in dataset.columns]
    answer = api.get(
        f"/api/v1/datasets/{dataset.pk}/rows?columns={names[0]}&where={names[4]}:ge:2&order_by=-{names[2]}"
    )

    assert len(set(names)) == len(HOSTILE)
    assert answer.status_code == 200
    assert answer.json()["pagination"]["total"] == 18


def test_ten_thousand_columns_are_read_and_more_are_left_out_with_a_word(api):
    wide, wider = (
        done(
            arrived(
                "wide.csv", "\n".join(",".join(f"{cell}{n}" for n in range(count)) for cell in ("c", 1, 2)).encode()
            )
        )
        for count in (9_000, 10_001)
    )

    answer = api.get(f"/api/v1/datasets/{Dataset.objects.get(source_file=wide).pk}/rows?limit=1&columns=c0,c8999")

    assert answer.status_code == 200
    assert not Dataset.objects.filter(source_file=wider).exists()
    assert "columns" in " ".join(wider.warnings)


def test_too_many_datasets_are_refused_with_what_helps(api, monkeypatch):
    monkeypatch.setattr(stacking, "MAX_DATASETS", 1)
    for _ in range(2):
        make_dataset({"value": [1.0]}, name="table")

    answer = api.get("/api/v1/dataset-rows?name=table")

    assert answer.status_code == 400
    assert "narrow the search" in answer.content.decode()


@pytest.mark.parametrize("form", ["json", "csv", "arrow"])
def test_a_query_over_its_time_is_400_whatever_the_format(api, settings, form, monkeypatch):
    dataset, read_batches = make_dataset({"value": [1.0]}), Query.read_batches
    monkeypatch.setattr(Query, "read_batches", lambda self, _, *, columns: read_batches(self, ENDLESS, columns=columns))
    settings.DATASET_QUERY_SECONDS = 0.01

    answer = api.get(f"/api/v1/datasets/{dataset.pk}/rows?format={form}&order_by=-value")

    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "QUERY_TOO_LARGE"


def test_a_parquet_file_damaged_in_the_store_is_told_and_found(api):
    file = done(arrived("table.csv", b"a,b\n" + b"".join(b"s%d,%d.5\n" % (n, n) for n in range(500))))
    dataset = Dataset.objects.select_related("file").get(source_file=file)
    (path,) = locate([dataset])
    with Path(path).open("r+b") as stored:
        stored.seek(200)
        stored.write(b"\xff" * 64)

    answer = api.get(f"/api/v1/datasets/{dataset.pk}/rows?order_by=-b")
    found = [one for batch in Reconciliation(object_store(), read=True, at=now()).differences() for one in batch]

    assert answer.status_code == 409
    assert answer.json()["error"]["details"] == {"reason": "parquet_damaged"}
    assert [(str(one.kind), one.key) for one in found] == [("wrong_checksum", dataset.file.storage_key)]


def test_a_thousand_runs_may_be_named_beside_other_parameters(api):
    named = "&".join(f"run=reader/{number}" for number in range(1_000))

    assert api.get(f"/api/v1/datasets?kind=plate&per_page=1&{named}").status_code == 200


def test_more_parameters_than_are_read_are_told_so(api):
    answer = api.get("/api/v1/datasets?" + "&".join(f"run=reader/{number}" for number in range(2_001)))

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "VALIDATION_ERROR")
    assert "at most 2,000" in answer.json()["error"]["message"]
