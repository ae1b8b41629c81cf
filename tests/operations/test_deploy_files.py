"""deploy/ says what the code does: every setting is explained, every queue has a worker."""

import ast
import os
import re
import shlex
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

from config.schedule import QUEUE_NAMES
from operations.embedded.serve import GONE_EXIT_CODE
from operations.embedded.valkey import COMMANDS
from tests.workers import served_queues

CHECKOUT = Path(__file__).resolve().parents[2]
DEPLOY = CHECKOUT / "deploy"
READERS = {
    f"read_{kind}" for kind in ("text", "optional", "number", "flag", "list", "object", "secret", "public_key")
} | {"get"}
OF_THE_COMMAND = {
    "IDS_ENV_FILE",
    "IDS_HOST",
    "IDS_PORT",
    "IDS_DEMO_PYTHON",
    "NO_PROXY",
    "no_proxy",
}  # ./ids says them to its children
OF_THE_OWNER = {"DATABASE_OWNER_URL"}  # deploy/owner.env
LINE = re.compile(r"(#?)([A-Z][A-Z0-9_]*)=(.*)")


def settings_read() -> dict[str, object]:
    """Name and literal default of what is read from the environment; None where the default is none or made up."""
    found: dict[str, object] = {}
    files = (CHECKOUT / "config" / "settings.py", CHECKOUT / "web" / "__main__.py")
    for file in (*files, *(CHECKOUT / "operations" / "embedded").glob("*.py")):
        for call in (node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call)):
            name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
            literals = [one.value if isinstance(one, ast.Constant) else None for one in call.args]
            is_environment = name != "get" or "environ" in ast.unparse(call.func)
            if name in READERS and is_environment and literals and re.fullmatch(r"\w+", str(literals[0])):
                found[str(literals[0])] = found.get(str(literals[0])) or (literals[1:2] or [None])[0]
    return {name: default for name, default in found.items() if name not in OF_THE_COMMAND | OF_THE_OWNER}


def settings_named() -> dict[str, tuple[bool, str]]:
    lines = (LINE.fullmatch(line) for line in (DEPLOY / "ids.env").read_text().splitlines())
    return {line[2]: (bool(line[1]), line[3]) for line in lines if line}


def test_the_environment_file_names_exactly_the_settings_that_are_read():
    assert sorted(settings_named()) == sorted(settings_read())


def test_the_environment_file_shows_the_defaults():
    read = settings_read()
    shown = {name: value for name, (is_default, value) in settings_named().items() if is_default and read[name]}

    assert shown == {name: as_written(read[name]) for name in shown}


def as_written(default: object) -> str:
    return str(int(default) if isinstance(default, bool) else default)


def test_every_setting_is_explained():
    lines = (DEPLOY / "ids.env").read_text().splitlines()
    bare = [line for before, line in pairwise(lines) if LINE.fullmatch(line) and not before]

    assert [line for line in bare if not line.startswith(("#S3_BUCKET", "#MAX_"))] == []


def test_a_service_without_its_data_directory_is_not_started_again():
    unit = (DEPLOY / "systemd" / "ids.service").read_text()

    assert f"\nRestartPreventExitStatus={GONE_EXIT_CODE}\n" in unit


def test_every_queue_has_a_worker_among_the_units():
    commands = [shlex.split(lines_of(unit)["ExecStart"]) for unit in (DEPLOY / "systemd").glob("*.service")]

    assert sorted(name for command in commands for name in served_queues(command)) == sorted(QUEUE_NAMES)


MAX_EXPOSURE = 3.0  # of 10
services = pytest.mark.parametrize("unit", sorted((DEPLOY / "systemd").glob("*.service")), ids=lambda unit: unit.name)


def test_systemd_finds_no_fault_in_the_units(tmp_path):
    """Of keys it does not know it only warns, so it may say nothing at all."""
    verifier = shutil.which("systemd-analyze")
    if verifier is None:
        pytest.skip("not installed: systemd")
    for unit in (DEPLOY / "systemd").iterdir():
        here = (
            unit.read_text().replace("/opt/ids/var/venv/bin/python", sys.executable).replace("/opt/ids", str(CHECKOUT))
        )
        (tmp_path / unit.name).write_text(here)
    names = [unit.name.replace("@.", "@1.") for unit in (DEPLOY / "systemd").iterdir()]

    environ = os.environ | {"SYSTEMD_UNIT_PATH": f"{tmp_path}:"}
    done = subprocess.run([verifier, "verify", "--man=no", *names], env=environ, capture_output=True, text=True)

    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@services
@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze, which scores units, is not here")
def test_a_unit_is_little_exposed(unit):
    command = ["systemd-analyze", "security", "--offline=true", "--no-pager", str(unit)]
    scored = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    if "Unknown" in scored.stderr or "unrecognized option" in scored.stderr:
        pytest.skip("this systemd-analyze is older than 250 and cannot score a file")

    exposure = re.search(r"exposure level for \S+: ([0-9.]+)", scored.stdout)

    assert exposure, scored.stdout + scored.stderr
    assert float(exposure[1]) <= MAX_EXPOSURE


def lines_of(unit: Path) -> dict[str, str]:
    return dict(line.split("=", 1) for line in unit.read_text().splitlines() if re.match(r"[A-Z]\w+=", line))


@services
def test_a_unit_is_bounded_and_holds_no_power(unit):
    lines = lines_of(unit)

    assert lines["NoNewPrivileges"] == "yes"
    assert lines["CapabilityBoundingSet"] == ""
    assert lines["ProtectSystem"] == "strict"
    assert lines["User"] == "ids"
    assert {"MemoryMax", "TasksMax", "SystemCallFilter", "RestrictAddressFamilies"} <= lines.keys()


def test_only_what_reads_files_may_make_the_namespaces_and_filters_of_their_walls():
    units = {unit.name: lines_of(unit) for unit in (DEPLOY / "systemd").glob("*.service")}
    commands = {name: shlex.split(lines["ExecStart"]) for name, lines in units.items()}
    readers = {name for name, words in commands.items() if "processing" in served_queues(words) or "serve" in words}

    assert readers == {"ids-reader@.service", "ids.service"}
    for name, lines in units.items():
        assert lines["RestrictNamespaces"] == ("user net" if name in readers else "yes")
        assert ("landlock_restrict_self" in lines["SystemCallFilter"]) == (name in readers)


def test_containers_are_read_only_and_without_powers():
    composed = yaml.safe_load((DEPLOY / "compose.yaml").read_text())

    for service in composed["services"].values():
        assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
        assert service["security_opt"] == ["no-new-privileges:true"]
    assert "trust" not in {str(service.get("environment")) for service in composed["services"].values()}
    assert re.search(r"^USER ids$", (DEPLOY / "Dockerfile").read_text(), re.M)


def test_every_queue_has_a_worker_among_the_containers():
    composed = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    commands = [service.get("command", []) for service in composed["services"].values()]

    assert sorted(name for command in commands for name in served_queues(command)) == sorted(QUEUE_NAMES)


def test_the_account_of_the_queue_is_the_embedded_ones():
    assert (DEPLOY / "valkey.acl").read_text().splitlines() == [
        "user default off",
        f"user ids on >PASSWORD ~* &* {COMMANDS}",
    ]


@pytest.fixture
def composed():
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]


def test_every_container_that_stays_says_how_it_is(composed):
    silent = {name for name, service in composed.items() if "healthcheck" not in service}

    assert silent == {"prepare", "beat"}


def test_only_the_proxy_is_reached_from_outside_and_it_alone_is_believed(composed):
    assert [name for name, service in composed.items() if "ports" in service] == ["proxy"]
    address = composed["proxy"]["networks"]["default"]["ipv4_address"]
    assert {service["environment"]["TRUSTED_PROXIES"] for service in composed.values() if "build" in service} == {
        address
    }


def test_the_first_step_makes_the_files_that_the_containers_read(composed, tmp_path):
    for name in ("compose.sh", "valkey.acl"):
        shutil.copy(DEPLOY / name, tmp_path / name)
    step = ["sh", str(tmp_path / "compose.sh")]

    subprocess.run(step, check=True, capture_output=True)

    made = {path.name: path.read_text() for path in (tmp_path / "local").iterdir()}
    read = [service.get("env_file", []) for service in composed.values()]
    named = {file for one in read for file in ([one] if isinstance(one, str) else one)}
    assert named <= {f"local/{name}" for name in made}
    passwords = dict(line.split("=", 1) for line in made["database.env"].split())
    assert f":{passwords['IDS_APP_PASSWORD']}@database/" in made["ids.env"]
    assert f":{passwords['IDS_OWNER_PASSWORD']}@database/" in made["owner.env"]
    assert re.search(r"REDIS_URL=redis://ids:(\w+)@", made["ids.env"])[1] in made["valkey.acl"]
    assert (tmp_path / "local").stat().st_mode & 0o777 == 0o700
    assert subprocess.run(step, check=False, capture_output=True).returncode == 1


def test_the_proxy_of_the_containers_replaces_what_callers_say_of_their_address():
    told = (DEPLOY / "nginx.compose.conf").read_text()

    assert "X-Forwarded-For $remote_addr;" in told
    assert "$proxy_add_x_forwarded_for" not in told
