"""docs/operations.md as a reader follows it: its commands, as written, on a bare Debian with systemd."""

import re
import subprocess
import time
import urllib.request
from contextlib import suppress
from dataclasses import dataclass

import pytest

from tests.image.debian import bare_debian, find_obstacle, take_your_time
from tests.image.document import read_blocks
from tests.image.machine import Machine
from tests.service import CHECKOUT

REPOSITORY = "/srv/repository"
PORTS = (8000, 8001, 8002)
MANAGE = "./ids manage --env-file /etc/ids/ids.env"


@dataclass(frozen=True)
class Step:
    """The block that begins like this; `before` is what the prose around it asks for, or what types for us."""

    begins: str
    expects: str = ""
    code: int = 0
    before: str = ""
    answers: tuple[int, ...] = ()  # ports at which the service is then ready


ALL_IN_ONE = [
    Step("apt-get update"),
    Step("useradd --system", expects="usage: manage.py process_file"),
    Step("mkdir /etc/ids"),
    Step("sed -i -e '/^DATABASE_URL=/d'", answers=(8000,)),
    Step("journalctl -u ids", expects="https://lab-data.example/accounts/first/"),
    Step("cd /opt/ids && ./ids manage", expects="never made", code=1),  # a backup is what a new service lacks
    Step(
        f"{MANAGE} create_admin",
        before="export IDS_ADMIN_PASSWORD=correct-horse-battery-9",  # asked for in a terminal
        expects="you@lab.example can sign in now as an admin.",
    ),
    Step(f"{MANAGE} release_key", expects="RELEASE_PUBLIC_KEY="),
    Step("apt-get install --yes nsis", expects="is a draft, signed."),
    Step("openssl pkeyutl", expects="is a draft, signed."),
    Step("cd /opt/ids && sudo -u ids git pull", expects="usage: manage.py process_file"),
    Step("systemctl restart ids", answers=(8000,)),
]
IN_PARTS = [
    Step(
        "sudo -u postgres psql -f",
        before="systemctl disable --now ids; apt-get install --yes postgresql redis-server"
        "; systemctl start postgresql redis-server",
        expects="ALTER DEFAULT PRIVILEGES",
    ),
    Step(
        "systemctl enable --now ids.target",
        before="cp deploy/ids.env deploy/owner.env /etc/ids/"
        " && sed -i 's/db.lab.example/127.0.0.1/; s|^REDIS_URL=.*|REDIS_URL=redis://127.0.0.1/0|' /etc/ids/*.env"
        ' && sed -i "s|^SECRET_KEY=.*|SECRET_KEY=$(head -c 40 /dev/urandom | base64 -w0)|" /etc/ids/ids.env'
        " && for role in ids_owner ids_app; do sudo -u postgres psql -c \"ALTER ROLE $role PASSWORD 'PASSWORD'\"; done",
        answers=(8001, 8002),
    ),
    Step("systemctl restart ids-prepare", answers=(8001, 8002)),
]
NOT_HERE = {
    "sudo -u postgres psql -c '\\password ids_owner'": "asks in a terminal; the step after sets the passwords by SQL",
    "DATABASE_URL=postgresql://ids_app:PASSWORD@db.lab.example/ids": "settings, of the step of ids.target",
    "DATABASE_URL=postgresql://ids_app:PASSWORD@127.0.0.1:6432/ids": "settings; the lane `pooler` has them",
    "aws s3api": "needs a bucket of AWS; the lane `stores` runs on a real store",
    "POST /api/v1/enrolment-codes": "a request and its answer; tests/watchers asks it",
    "usermod -aG ids www-data": "needs nginx; tests/files/storage/test_accelerated.py runs one",
    "docker build": "needs a container engine; tests/image/test_image.py runs the steps of the file",
    "sh deploy/compose.sh": "needs a container engine; tests/operations/test_deploy_files.py runs the first line",
    "kubectl create": "needs a cluster; tests/operations/test_chart.py renders and validates what would be installed",
}


def is_of(begins, first):
    return f"{first} ".startswith(f"{begins} ")


def test_every_block_of_the_document_is_run_or_has_a_reason():
    steps = [step.begins for step in ALL_IN_ONE + IN_PARTS] + list(NOT_HERE)

    judged = {first: [step for step in steps if is_of(step, first)] for first in read_blocks()}

    assert {first: found for first, found in judged.items() if len(found) != 1} == {}
    assert [step for step in steps if not any(is_of(step, first) for first in judged)] == []


@pytest.fixture
def machine():
    if obstacle := find_obstacle():
        pytest.skip(obstacle)
    take_your_time()
    if taken := [port for port in PORTS if answers(port)]:
        pytest.skip(f"somebody listens on {taken}, where the units of the document would")
    with bare_debian() as debian:
        install = "apt-get update && apt-get install --yes --no-install-recommends systemd dbus"
        debian.run("sh", "-c", install, environ={"DEBIAN_FRONTEND": "noninteractive"})
        (debian.root / "etc" / "gitconfig").write_text(
            "[safe]\n\tdirectory = *\n"
        )  # a repository of another's is given
        with Machine(debian, {CHECKOUT / ".git": REPOSITORY}) as running:
            yield running


@pytest.mark.image
def test_the_document_leads_from_a_bare_debian_to_a_service_and_on_to_its_parts(machine):
    blocks = read_blocks()

    for step in ALL_IN_ONE + IN_PARTS:
        follow(machine, step, next(block for first, block in blocks.items() if is_of(step.begins, first)))

    units = machine.shell("systemctl list-units --plain --no-legend 'ids*'").stdout
    assert re.findall(r"^(\S+) +\S+ +(failed|activating)", units, re.M) == []


def follow(machine, step, block):
    script = "\n".join([step.before, block.replace("REPOSITORY", REPOSITORY)])
    place = "/opt/ids" if machine.shell("test -d /opt/ids").returncode == 0 else "/"
    done = machine.shell(script, place=place)
    told = f"{step.begins}\n{done.stdout[-4000:]}"

    assert done.returncode == step.code, told
    assert step.expects in done.stdout, told
    for port in step.answers:
        wait_for(machine, port)


def wait_for(machine, port):
    deadline = time.monotonic() + 180
    while not answers(port):
        assert time.monotonic() < deadline, machine.shell("journalctl --no-pager -u 'ids*' | tail -40").stdout
        time.sleep(1)


def answers(port):
    with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=10) as answer:
        return answer.status == 200
    return False


def test_the_runner_has_the_programs_that_it_names():
    """A way of entering that fails would look like a fault of the document."""
    assert subprocess.run(["sh", "-n", CHECKOUT / "tests" / "image" / "enter.sh"], check=False).returncode == 0
