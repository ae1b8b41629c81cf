"""What users have is requirements.lock alone; the tests run beside many more packages, which nothing may ask for."""

import json
import shutil
import subprocess
import sys
from importlib.metadata import packages_distributions

import pytest

from operations.sbom import NAME_SEPARATORS, read_lock
from tests.service import CHECKOUT, FirstStart
from tests.test_architecture import imports, modules

# Loads what `./ids serve` shares among its processes and what its web server is made of, without these modules.
LOADED = """
import json, sys
from importlib.abc import MetaPathFinder

class Missing(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in missing:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

missing = {*json.loads(sys.argv[1])}
sys.meta_path.insert(0, Missing())
from operations.embedded.preloaded_programs import load_code
load_code()
import config.asgi
"""
# Each is told to install by what asks for it.
OPTIONAL = {
    "pyiceberg": "export_catalog: requirements-iceberg.lock",
    "sqlalchemy": "export_catalog: requirements-iceberg.lock",
    "playwright": "screenshots, of this documentation",
    "sentry_sdk": "SENTRY_DSN",
}


class Clone(FirstStart):
    """A checkout of its own, with nothing installed."""

    def __init__(self, place):
        shutil.copytree(CHECKOUT, place / "clone", symlinks=True, ignore=shutil.ignore_patterns("var", ".git", ".venv"))
        super().__init__(place / "clone" / "var")
        self.checkout = place / "clone"


def normalise(name):
    return NAME_SEPARATORS.sub("-", name).lower()


def find_missing():
    """The modules of the environment at hand that users do not have."""
    locked = {normalise(one.name) for one in read_lock((CHECKOUT / "requirements.lock").read_text())}
    packages = packages_distributions()
    return {name for name, owners in packages.items() if locked.isdisjoint(map(normalise, owners))}


def test_the_service_starts_with_the_packages_of_its_lock_alone():
    missing = find_missing()
    assert {"pytest", "rich"} <= missing

    done = subprocess.run(
        [sys.executable, "-c", LOADED, json.dumps(sorted(missing))], cwd=CHECKOUT, capture_output=True, text=True
    )

    assert done.returncode == 0, done.stderr


def test_what_modules_import_is_in_the_lock_or_optional():
    missing = find_missing() - OPTIONAL.keys()

    asked = {name: path for path in modules() for name in imports(path) if name.partition(".")[0] in missing}

    assert asked == {}


@pytest.mark.slow
def test_a_clone_starts_and_reads_a_file(tmp_path):
    table = tmp_path / "absorbance.csv"
    table.write_text("Wavelength (nm),Absorbance\n" + "".join(f"{at},{at / 1000}\n" for at in range(220, 400)))
    clone = Clone(tmp_path)
    clone.manage("check")  # installs

    with clone:
        said = clone.manage("process_file", str(table))

    assert not (clone.checkout / "var" / "venv" / "bin" / "pytest").exists()
    assert "absorbance" in said
