"""The Debian package is one that dpkg itself takes, which reads fewer kinds of tar than `tar` does."""

import shutil
import subprocess
from pathlib import Path

import pytest

from agent.packaging import archives

CONTROL = (
    "Package: long-names\nVersion: 1\nArchitecture: all\nMaintainer: nobody <nobody@lab.example>\nDescription: x\n"
)
LONG = "folder-" + "x" * 60 + "/file-" + "y" * 120 + ".py"


@pytest.mark.skipif(shutil.which("dpkg") is None, reason="no dpkg here")
def test_dpkg_unpacks_a_package_with_long_names(tmp_path: Path):
    control, data, system = (tmp_path / name for name in ("control", "data", "system"))
    (data / LONG).parent.mkdir(parents=True)
    (data / LONG).write_text("print()\n")
    (data / "link").symlink_to(LONG)
    control.mkdir()
    (control / "control").write_text(CONTROL)
    (system / "var/lib/dpkg/updates").mkdir(parents=True)
    (system / "var/lib/dpkg/info").mkdir()
    (system / "var/lib/dpkg/status").touch()
    package = tmp_path / "long-names.deb"
    package.write_bytes(archives.deb_of(control, data))

    done = subprocess.run(
        ["dpkg", f"--root={system}", "--force-not-root", "--unpack", package],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert (system / LONG).read_text() == "print()\n"
    assert (system / "link").readlink() == Path(LONG)
