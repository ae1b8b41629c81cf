"""1,000 runs in other engines: the same Parquet files in place, the same numbers as `/dataset-rows`.

PySpark comes from the package index (450 MB, once) into var/cache/spark, and needs a Java: Debian's
default-jre-headless. Iceberg's own library for Spark is on no index of Python's, so Spark is given the files that the
catalogue's table plans; the table itself is read by PyIceberg and DuckDB. The test with Spark goes by name.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command

from datasets.iceberg.catalog import load_table, open_catalog
from files.storage import object_store
from tests.datasets.planting import plant_plates
from tests.service import CHECKOUT
from tests.stores import use_files

pytestmark = pytest.mark.django_db
RUNS = 1_000
PYSPARK = "pyspark==4.1.1"
KEPT = CHECKOUT / "var" / "cache" / "spark"
INSTALL_SECONDS, JOB_SECONDS = 300, 240


@pytest.fixture
def table(settings, tmp_path):
    """The catalogue's, over 1,000 planted runs."""
    settings.IDS_DATA = tmp_path
    use_files(settings, tmp_path / "objects")
    plant_plates(RUNS, tmp_path / "planted")
    call_command("export_catalog", "--name", "plate_absorbance")
    yield load_table(open_catalog(), "plate_absorbance")
    object_store.cache_clear()


@pytest.fixture
def by_rest(as_token):
    """What /dataset-rows says: rows in all, count and mean by well, sum by run."""
    api = as_token("files:read")

    def ask(query):
        answer = api.get(f"/api/v1/dataset-rows?name=plate_absorbance&{query}")
        assert answer.status_code == 200, answer.content
        return answer.json()

    def read():
        wells = ask("group_by=well&aggregate=count:value&aggregate=mean:value")["data"]
        runs = ask("group_by=run_id&aggregate=sum:value&limit=1000")["data"]
        return ask("limit=1")["pagination"]["total"], {name: rest for name, *rest in wells}, dict(runs)

    return read


def same(count, wells, runs, expected):
    """Counts to the one, sums of doubles in whatever order but for their last digits."""
    assert (count, len(wells), len(runs)) == (96 * RUNS, 96, RUNS)
    assert count == expected[0]
    assert {well: known for well, (known, _) in wells.items()} == {w: known for w, (known, _) in expected[1].items()}
    means = {well: mean for well, (_, mean) in expected[1].items()}
    assert {well: mean for well, (_, mean) in wells.items()} == pytest.approx(means, rel=1e-12)
    assert runs == pytest.approx(expected[2], rel=1e-12)


@pytest.mark.slow
def test_pyiceberg_and_duckdb_have_the_numbers_of_the_service_and_find_runs_by_name(table, by_rest):
    plates = table.scan().to_duckdb("plates")

    ((count,),) = plates.sql("SELECT count(*) FROM plates").fetchall()
    wells = plates.sql("SELECT well, count(value), avg(value) FROM plates GROUP BY well").fetchall()
    runs = plates.sql("SELECT _run, sum(value) FROM plates GROUP BY _run").fetchall()

    same(count, {well: rest for well, *rest in wells}, dict(runs), by_rest())
    found = table.scan(row_filter="_run = 'run-0042'")
    assert len(list(found.plan_files())) == 1  # the others are not opened
    assert len(found.to_pandas()) == 96


@pytest.mark.benchmark  # by name: it has not ended within its time on a busy machine yet
def test_spark_has_the_numbers_of_the_service(pyspark, table, by_rest):
    files = {task.file.file_path: task.file.partition[1] for task in table.scan().plan_files()}

    found = json.loads(run(pyspark, Path(__file__).parent / "spark_job.py", said={"files": files}, within=JOB_SECONDS))

    same(found["count"], found["wells"], found["runs"], by_rest())


@pytest.fixture
def pyspark():
    """A Python that has it, kept for the next time."""
    if shutil.which("java") is None:
        pytest.skip("there is no java: apt-get install default-jre-headless")
    python, stamp = KEPT / "bin" / "python", KEPT / "installed"
    if not stamp.exists() or stamp.read_text() != PYSPARK:
        shutil.rmtree(KEPT, ignore_errors=True)
        try:
            run(sys.executable, "-m", "venv", KEPT, within=INSTALL_SECONDS)
            run(python, "-m", "pip", "install", "--quiet", PYSPARK, within=INSTALL_SECONDS)
        except (subprocess.SubprocessError, OSError) as refusal:
            pytest.skip(f"PySpark cannot be installed: {getattr(refusal, 'stderr', None) or refusal}"[-300:])
        stamp.write_text(PYSPARK)
    return python


def run(*command, within, said=None):
    done = subprocess.run(
        command, input=json.dumps(said or {}), capture_output=True, text=True, timeout=within, check=True
    )
    return done.stdout
