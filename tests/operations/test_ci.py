"""What continuous integration runs (.ci/run) where Debian packages cannot be had. Fakes stand for apt-get and root."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

RUN = Path(__file__).resolve().parents[2] / ".ci" / "run"
REAL = ("date", "dirname", "sleep", "timeout")
TESTS = '#!/bin/sh\necho "tests: $*"\n'


def write(path, text):
    path.write_text(text)
    path.chmod(0o755)


@pytest.fixture
def run(tmp_path):
    """run("exit 100") is what comes of it where apt-get does this."""
    tools, checkout = tmp_path / "tools", tmp_path / "checkout"
    (checkout / ".ci").mkdir(parents=True)
    tools.mkdir()
    shutil.copy(RUN, checkout / ".ci")
    write(checkout / "ids", TESTS)
    write(tools / "id", "#!/bin/sh\necho 0\n")
    for name in REAL:
        (tools / name).symlink_to(shutil.which(name))

    def ends(apt_get):
        write(tools / "apt-get", f"#!/bin/sh\n{apt_get}\n")
        return subprocess.run(
            ["/bin/sh", checkout / ".ci" / "run", "-q"],
            env=os.environ | {"PATH": str(tools), "INSTALL_SECONDS": "2"},
            capture_output=True,
            text=True,
            timeout=60,
        )

    return ends


def test_what_cannot_be_installed_is_told_and_all_else_is_tested(run):
    done = run("exit 100")

    assert (done.returncode, done.stdout) == (0, "tests: test --all -q\n")
    assert done.stderr.splitlines()[0] == "chromium cannot be installed; what needs it skips itself"
    assert len(done.stderr.splitlines()) == 8


def test_installing_what_does_not_come_ends(run):
    done = run("exec sleep 1000")

    assert (done.returncode, done.stdout) == (0, "tests: test --all -q\n")
    assert len(done.stderr.splitlines()) == 8
