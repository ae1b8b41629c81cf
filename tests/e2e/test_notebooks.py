"""The notebooks of docs/notebooks, run cell by cell against a service with the demonstration."""

import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tests.service import Service

CHECKOUT = Path(__file__).parents[2]
NOTEBOOKS = sorted((CHECKOUT / "docs" / "notebooks").glob("*.ipynb"))
SCOPES = "instruments:read,instruments:create,runs:read,runs:create,runs:upload,files:read,files:update"


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with Service(tmp_path_factory.mktemp("notebooks") / "data") as running:
        running.manage("seed_demo")
        yield running


@pytest.fixture
def kernel_variables(service, tmp_path):
    """What the kernel has in its environment: the client from the checkout, and no window to plot into."""
    token = service.manage("create_token", "notebooks", "--scopes", SCOPES).strip()
    places = {
        "IDS_DATA_CACHE": tmp_path / "cache",
        "IDS_DATA_HOME": tmp_path / "home",
        "IPYTHONDIR": tmp_path / "ipython",
    }
    mine = {"IDS_URL": service.url, "IDS_TOKEN": token, "PYTHONPATH": CHECKOUT / "client" / "src"} | places
    return os.environ | {name: str(value) for name, value in mine.items()} | {"MPLBACKEND": "Agg"}


@pytest.mark.parametrize("place", NOTEBOOKS, ids=lambda place: place.stem)
def test_every_cell_of_a_notebook_runs(kernel_variables, place, tmp_path):
    notebook = nbformat.read(place, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=120,
        startup_timeout=300,
        kernel_name="python3",
        resources={"metadata": {"path": str(tmp_path)}},
    )

    client.execute(env=kernel_variables)  # raises CellExecutionError, with the cell's traceback

    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert code
    assert all(cell.execution_count for cell in code)


def test_the_lines_of_the_page_on_data_give_the_last_ten_plates(kernel_variables):
    page = (CHECKOUT / "docs" / "data.md").read_text()
    (lines,) = [code for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "pivot_table" in code]
    said = f"{lines}print(table.run_id.nunique(), len(table))"

    done = subprocess.run(
        [sys.executable, "-c", said], env=kernel_variables, capture_output=True, text=True, timeout=120, check=False
    )

    assert (done.stdout, done.returncode) == (f"10 {10 * 96}\n", 0), done.stderr


def test_the_first_lines_of_the_page_on_scripts_work_as_they_stand(kernel_variables, tmp_path):
    page = (CHECKOUT / "docs" / "scripts.md").read_text()
    (lines,) = [code for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "lab.upload" in code]
    said = f"{lines}print(len(runs), wells.shape, dict(curve.sizes), lab.run('hplc-2', 'batch-7').files.count())"
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "trace.csv").write_text("minute,mAU\n0,0.1\n")

    done = subprocess.run(
        [sys.executable, "-c", said],
        env=kernel_variables,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert (done.stdout, done.returncode) == ("2 (2, 9) {'wavelength': 126} 1\n", 0), done.stderr


@pytest.mark.parametrize("place", NOTEBOOKS, ids=lambda place: place.stem)
def test_a_notebook_is_kept_valid_and_without_outputs(place):
    notebook = nbformat.read(place, as_version=4)

    nbformat.validate(notebook)
    assert [cell.source for cell in notebook.cells if cell.get("outputs")] == []
