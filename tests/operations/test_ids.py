"""The command `./ids`: what it installs, when, and what it says when it cannot. A fake uv stands for the installer."""

import os
import runpy
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

CHECKOUT = Path(__file__).resolve().parents[2]

# Makes a directory where `uv venv` would make an environment, and writes down each call.
FAKE_UV = f"""#!/bin/sh
echo "$@" >>"$CALLS"
for place; do :; done
case $1 in
--version) ;;
venv) mkdir -p "$place/bin" && ln -s {shlex.quote(sys.executable)} "$place/bin/python" ;;
pip) sleep "${{SECONDS_TO_INSTALL:-0}}"; exit "${{FAILS:-0}}" ;;
esac
"""


class Copy:
    """A checkout with nothing in it but the command, the locks and a manage.py that tells what reached it."""

    def __init__(self, path):
        self.path, self.calls = path, path.parent / "calls"
        for name in ("ids", "requirements.lock", "requirements-test.lock"):
            path.mkdir(parents=True, exist_ok=True)
            shutil.copy(CHECKOUT / name, path)
        (path / "manage.py").write_text("import os, sys\nprint(os.environ['IDS_DATA'], *sys.argv[1:])\n")
        tools = path.parent / "tools"
        tools.mkdir()
        (tools / "uv").write_text(FAKE_UV)
        (tools / "uv").chmod(0o755)
        self.environ = {"PATH": f"{tools}:/usr/bin:/bin", "CALLS": str(self.calls), "HOME": str(path.parent)}

    def begin(self, *arguments, **environ):
        return subprocess.Popen(
            [sys.executable, self.path / "ids", *arguments],
            env={**self.environ, **environ},
            cwd=self.path.parent,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments, **environ):
        child = self.begin(*arguments, **environ)
        stdout, stderr = child.communicate(timeout=30)
        return child.returncode, stdout, stderr

    def installations(self):
        lines = self.calls.read_text().splitlines() if self.calls.exists() else []
        return [line for line in lines if line.startswith("pip")]


@pytest.fixture
def copy(tmp_path):
    return Copy(tmp_path / "my lab" / "ids")


def test_the_first_start_installs_with_hashes_and_the_second_nothing(copy):
    first = copy.run("manage", "check")
    second = copy.run("manage", "check")

    assert first[:2] == second[:2] == (0, f"{copy.path}/var check\n")
    assert "installing the packages of requirements.lock" in first[2]
    assert second[2] == ""
    [installation] = copy.installations()
    assert "--require-hashes" in installation
    assert installation.endswith(f"-r {copy.path}/requirements.lock")


def test_a_changed_lock_is_installed(copy):
    copy.run("manage", "check")
    with (copy.path / "requirements.lock").open("a") as lock:
        lock.write("# one more\n")

    copy.run("manage", "check")

    assert len(copy.installations()) == 2


def test_the_demo_installs_the_agents_packages_apart(copy):
    lock, serve = copy.path / "agent" / "requirements.lock", copy.path / "operations" / "embedded" / "serve.py"
    for file in (lock, serve):
        file.parent.mkdir(parents=True)
    lock.touch()
    serve.write_text("import os\nprint(os.environ.get('IDS_DEMO_PYTHON'))\n")

    plain = copy.run("serve", IDS_DEMO_PYTHON="/left/over")
    demo = copy.run("serve", "--demo")

    assert plain[1] == "None\n"
    assert demo[1] == f"{copy.path}/var/agent-venv/bin/python\n"
    assert "installing the packages of agent/requirements.lock" in demo[2]
    assert [line.rpartition("-r ")[2] for line in copy.installations()] == [f"{copy.path}/requirements.lock", str(lock)]


def test_two_first_starts_at_once_install_once(copy):
    starts = [copy.begin("manage", "check", SECONDS_TO_INSTALL="0.5") for _ in range(2)]

    outputs = [start.communicate(timeout=30)[0] for start in starts]

    assert outputs == [f"{copy.path}/var check\n"] * 2
    assert len(copy.installations()) == 1


def test_an_installation_that_was_cut_off_is_made_again_from_nothing(copy):
    assert copy.run("manage", "check", FAILS="1")[0] == 1
    half = copy.path / "var" / "venv" / "half a package"
    half.touch()

    code, output, _ = copy.run("manage", "check")

    assert (code, output) == (0, f"{copy.path}/var check\n")
    assert not half.exists()


def test_an_environment_without_a_stamp_is_adopted(copy):
    packages = copy.path / "var" / "venv" / "bin"
    packages.mkdir(parents=True)
    (packages / "python").symlink_to(sys.executable)
    (packages / "pytest").touch()

    assert copy.run("manage", "check")[0] == 0

    assert (packages / "pytest").exists()
    assert len(copy.installations()) == 1


def test_what_fails_is_told_in_one_line(copy):
    code, output, complaint = copy.run("manage", "check", FAILS="1")

    assert (code, output) == (1, "")
    assert complaint.splitlines()[-1] == (
        "./ids: the packages cannot be installed, the reason stands above: is a package index within reach of pip?"
    )


@pytest.mark.parametrize("spelling", [["--data", "elsewhere"], ["--data=elsewhere"]])
def test_the_data_directory_stands_after_the_sub_command(copy, spelling):
    _, output, _ = copy.run("manage", *spelling, "create_token", "name", "--scopes", "runs:read", "--data", "its own")

    assert output == f"{copy.path.parent}/elsewhere create_token name --scopes runs:read --data its own\n"


def test_the_data_directory_may_come_from_the_environment(copy):
    _, output, _ = copy.run("manage", "check", IDS_DATA="/srv/ids")

    assert output == "/srv/ids check\n"


def test_an_unknown_argument_is_refused_before_anything_is_installed(copy):
    code, _, complaint = copy.run("serve", "--prot", "8000")

    assert code == 2
    assert "unknown arguments: --prot 8000" in complaint
    assert copy.installations() == []


def test_uv_gets_the_indexes_of_pip(copy):
    settings = copy.path.parent / ".config" / "pip" / "pip.conf"
    settings.parent.mkdir(parents=True)
    settings.write_text("[global]\nindex-url = https://index.example/simple\nextra-index-url = file:///a file:///b\n")

    copy.run("manage", "check", PIP_FIND_LINKS="/wheels")

    [call] = copy.installations()
    assert "--default-index https://index.example/simple --index file:///a --index file:///b" in call
    assert "--find-links /wheels" in call


def test_uvs_own_indexes_come_before_those_of_pip(copy):
    copy.run("manage", "check", PIP_INDEX_URL="https://pip.example", UV_DEFAULT_INDEX="https://uv.example")

    [call] = copy.installations()
    assert "pip.example" not in call


@pytest.mark.skipif(os.geteuid() == 0, reason="root can write everywhere")
def test_a_checkout_that_cannot_be_written_installs_into_the_data_directory(copy, tmp_path):
    copy.path.chmod(0o555)

    code, output, _ = copy.run("manage", "--data", str(tmp_path / "data"), "check")

    copy.path.chmod(0o755)
    assert (code, output) == (0, f"{tmp_path}/data check\n")
    assert (tmp_path / "data" / "venv" / "bin" / "python").exists()


def test_a_commit_is_checked_as_the_tests_begin():
    hooks = yaml.safe_load((CHECKOUT / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    command = runpy.run_path(str(CHECKOUT / "ids"))

    assert tuple(hook["entry"].partition(" -m ")[2] for hook in hooks) == command["CHECKS"]


@pytest.fixture
def with_packages_of_pages(copy):
    """Installed, but for what pages load from npm."""
    copy.run("manage", "check")
    for name in ("package.json", "package-lock.json", "requirements-node.lock"):
        shutil.copy(CHECKOUT / name, copy.path)
    return copy


def test_a_start_does_without_the_packages_of_pages(with_packages_of_pages, tmp_path):
    npm = tmp_path / "npm-that-fails"
    npm.mkdir()
    (npm / "npm").write_text("#!/bin/sh\nexit 1\n")
    (npm / "npm").chmod(0o755)

    code, _, told = with_packages_of_pages.run(
        "manage", "check", PATH=f"{npm}:{with_packages_of_pages.environ['PATH']}"
    )

    assert code == 0
    assert "images are shown without zoom by tiles" in told


def test_a_start_does_without_npm_and_without_an_index_that_has_it(with_packages_of_pages, tmp_path):
    few = tmp_path / "few"
    few.mkdir()
    for program in ("sh", "mkdir", "ln", "sleep", "uv"):
        (few / program).symlink_to(shutil.which(program, path=with_packages_of_pages.environ["PATH"]))

    code, _, told = with_packages_of_pages.run("manage", "check", PATH=str(few), FAILS="1")

    assert code == 0
    assert "images are shown without zoom by tiles" in told
