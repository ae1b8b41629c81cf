"""Each command line is defined once: what units and containers say is what `./ids serve` runs."""

import json
import re
import shlex
from pathlib import Path

import pytest
import yaml

from operations.embedded.commands import build_beat_command, build_web_command, build_worker_command

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
PYTHON = "/opt/ids/var/venv/bin/python"
KINDS = pytest.mark.parametrize("kind", ["worker", "builder", "reader"])


def lines_of(unit, name):
    lines = (DEPLOY / "systemd" / unit).read_text().splitlines()
    return [line.partition("=")[2] for line in lines if line.startswith(f"{name}=")]


def command_of(unit):
    python, *words = shlex.split(lines_of(unit, "ExecStart")[0])
    assert python == PYTHON
    return words


def container_command(service):
    python, *words = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"][service]["command"]
    assert PYTHON.endswith(python)
    return words


def test_the_unit_of_the_web():
    assert command_of("ids-web@.service") == build_web_command("--port", "%i")


def test_the_container_of_the_web():
    [command] = re.findall(r"^CMD (\[.*?\])", (DEPLOY / "Dockerfile").read_text(), re.M | re.S)
    python, *words = json.loads(command.replace("\\\n", ""))

    assert PYTHON.endswith(python)
    assert words == build_web_command("--host", "0.0.0.0")


@KINDS
def test_the_units_of_workers(kind):
    assert command_of(f"ids-{kind}@.service") == build_worker_command(kind, name=f"{kind}-%i@%H")


@KINDS
def test_the_containers_of_workers(kind):
    assert container_command(kind) == build_worker_command(kind, name=f"{kind}@%h")


def test_the_scheduler():
    expected = build_beat_command(schedule="/var/lib/ids/beat-schedule")

    assert command_of("ids-beat.service") == container_command("beat") == expected


@pytest.mark.parametrize("part", ["web@", "worker@", "builder@", "reader@", "beat"])
def test_preparing_again_stops_no_part(part):
    unit = f"ids-{part}.service"

    assert (lines_of(unit, "Requires"), lines_of(unit, "Wants")) == ([], ["ids-prepare.service"])


def test_preparing_is_tried_again():
    assert lines_of("ids-prepare.service", "Restart") == ["on-failure"]


def test_a_web_server_counts_as_started_once_it_is_ready():
    assert lines_of("ids-web@.service", "ExecStartPost") == [f"{PYTHON} -m web.ready %i"]
