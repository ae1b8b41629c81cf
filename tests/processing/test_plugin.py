"""The worked example of docs/processors.md, built, installed beside the service and used as its reader would use it."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "docs" / "examples" / "processor"


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter that has everything ours has, and the plug-in."""
    home = tmp_path_factory.mktemp("plugin")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home / "venv"], check=True)
    python = home / "venv" / "bin" / "python"
    site = Path(sysconfig.get_path("purelib", vars={"base": str(home / "venv"), "platbase": str(home / "venv")}))
    (site / "ours.pth").write_text(sysconfig.get_path("purelib"))
    shutil.copytree(EXAMPLE, home / "source", ignore=shutil.ignore_patterns("__pycache__"))  # another worker's tests
    uv = shutil.which("uv")
    installer = [uv, "pip", "install", "-q", "--python", python] if uv else pip_into(python)
    subprocess.run(
        [*installer, "--no-deps", "--no-build-isolation", home / "source"], check=True, env=environment(python)
    )
    return python


def pip_into(python: Path) -> list[str | Path]:
    return [sys.executable, "-m", "pip", "--python", python, "install", "-q"]


def environment(python: Path, **more: str) -> dict[str, str]:
    """Building goes by the interpreter on PATH, which must know the build backend."""
    known = {name: os.environ[name] for name in ("HOME", "PATH") if name in os.environ}
    return known | {"VIRTUAL_ENV": str(python.parent.parent)} | more


def run(python: Path, *arguments: str | Path, cwd: Path = ROOT, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [python, *arguments], cwd=cwd, env=environment(python, **more), capture_output=True, text=True, check=False
    )


def process(python: Path, out: Path, *arguments: str) -> Any:
    ran = run(python, "manage.py", "process_file", EXAMPLE / "sample.gro", "--out", out, *arguments)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def test_its_file_is_recognised_by_its_mark_and_read_in_the_child(python, tmp_path):
    found = process(python, tmp_path)

    assert found["run"]["serial_number"] == "GL-4711"
    assert found["warnings"] == ["1 readings hold no number (OVR)."]
    assert {artefact["kind"] for artefact in found["artefacts"]} == {"curve", "plate"}
    assert json.loads((tmp_path / "curves.json").read_text())["series"][0]["label"] == "A1"


def test_the_instruments_time_zone_reaches_it(python, tmp_path):
    found = process(python, tmp_path, "--type", "growth-logger", "--time-zone", "Europe/Berlin")

    assert found["acquired_at"] == "2026-03-14T08:26:53+00:00"


def test_its_type_can_be_chosen_and_carries_its_version(python):
    program = (
        "import django; django.setup();"
        "from instruments.instrument_types import list_types; from processing.registry import get_registry;"
        "print(list_types()['growth-logger'], get_registry().versions['growth-logger'], len(get_registry().broken))"
    )

    ran = run(python, "-c", program, DJANGO_SETTINGS_MODULE="config.settings", SECRET_KEY="x" * 40)

    assert ran.stdout.strip() == "Growth logger 1.0.0 0", ran.stderr


def test_its_own_tests_pass_against_the_service(python, tmp_path):
    flags = ["-q", "-c", "pyproject.toml", "-p", "no:cacheprovider", "--basetemp", tmp_path / "its"]
    around = {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}

    ran = run(python, "-m", "pytest", *flags, "test_growth_logger.py", cwd=EXAMPLE, **around)

    assert "3 passed" in ran.stdout, ran.stdout + ran.stderr
