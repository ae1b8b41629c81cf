"""deploy/chart: what it makes is hardened, watched, and runs what everything else runs."""

import shutil
import subprocess

import pytest
import yaml

from config.schedule import QUEUE_NAMES
from operations.embedded.commands import build_beat_command, build_web_command, build_worker_command
from tests.operations.chart import CHART, read_values, render_chart
from tests.operations.test_commands import container_command
from tests.operations.test_deploy_files import settings_named
from tests.workers import served_queues

PARTS = {"web", "worker", "builder", "reader", "beat"}


@pytest.fixture(scope="module")
def values():
    found = read_values()
    found["monitors"]["enabled"] = found["ingress"]["enabled"] = True
    return found


@pytest.fixture(scope="module")
def objects(values):
    return render_chart(values)


def of_kind(objects, kind):
    return {one["metadata"]["name"].removeprefix("lab-"): one["spec"] for one in objects if one["kind"] == kind}


def pods_of(objects):
    templates = of_kind(objects, "Deployment") | of_kind(objects, "Job")
    return {name: spec["template"]["spec"] for name, spec in templates.items()}


def containers_of(objects):
    return {name: container for name, pod in pods_of(objects).items() for container in pod["containers"]}


def test_commands_are_those_of_the_one_definition(values):
    def words(part):
        python, *rest = part["command"]
        assert python == "var/venv/bin/python"
        return rest

    assert words(values["web"]) == build_web_command("--host", "0.0.0.0")
    for kind, part in values["workers"].items():
        assert words(part) == build_worker_command(kind, name=f"{kind}@%h") == container_command(kind)
    assert words(values["beat"]) == build_beat_command(schedule="/var/lib/ids/beat-schedule")
    composed = yaml.safe_load((CHART.parent / "compose.yaml").read_text())
    assert values["migrations"]["command"] == composed["services"]["prepare"]["command"]


def test_every_queue_has_a_worker(values):
    served = [queue for part in values["workers"].values() for queue in served_queues(part["command"])]

    assert sorted(served) == sorted(QUEUE_NAMES)


def test_every_part_is_there_with_a_scale_of_its_own(objects):
    assert set(of_kind(objects, "Deployment")) == PARTS
    assert set(of_kind(objects, "HorizontalPodAutoscaler")) == PARTS - {"beat"}
    assert set(of_kind(objects, "PodDisruptionBudget")) == PARTS - {"beat"}
    for name, spec in of_kind(objects, "HorizontalPodAutoscaler").items():
        assert spec["scaleTargetRef"]["name"] == f"lab-{name}"
        assert "replicas" not in of_kind(objects, "Deployment")[name]


def test_selectors_find_the_pods_that_are_made(objects):
    deployments = of_kind(objects, "Deployment")
    for name, spec in deployments.items():
        labels = spec["template"]["metadata"]["labels"]
        assert spec["selector"]["matchLabels"] == labels
        if name != "beat":
            assert of_kind(objects, "PodDisruptionBudget")[name]["selector"]["matchLabels"] == labels
    assert of_kind(objects, "Service")["web"]["selector"] == deployments["web"]["template"]["metadata"]["labels"]


def test_nothing_runs_as_root_or_writes_to_its_image(objects):
    for pod in pods_of(objects).values():
        assert (pod["securityContext"]["runAsNonRoot"], pod["automountServiceAccountToken"]) == (True, False)
    for container in containers_of(objects).values():
        assert container["securityContext"] == {
            "readOnlyRootFilesystem": True,
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
        }
        assert {mount["mountPath"] for mount in container["volumeMounts"]} == {"/tmp", "/var/lib/ids"}
        assert "memory" in container["resources"]["limits"]


def test_the_user_is_the_one_of_the_image(objects):
    assert "useradd --uid 10001 " in (CHART.parent / "Dockerfile").read_text()
    assert {pod["securityContext"]["runAsUser"] for pod in pods_of(objects).values()} == {10_001}


def test_whatever_answers_is_asked(objects):
    containers = containers_of(objects)
    asked = {
        name: container["livenessProbe"]["httpGet"]["path"]
        for name, container in containers.items()
        if "livenessProbe" in container
    }

    assert asked == dict.fromkeys(PARTS - {"beat"}, "/livez")
    assert containers["web"]["readinessProbe"]["httpGet"]["path"] == "/readyz"
    for name in ("worker", "builder", "reader"):
        assert {"name": "METRICS_LISTEN", "value": "0.0.0.0:9101"} in containers[name]["env"]


def test_migrations_come_first_and_alone_know_the_owner(objects):
    [job] = [one for one in objects if one["kind"] == "Job"]
    owners = [
        name
        for name, container in containers_of(objects).items()
        if {"secretRef": {"name": "ids-owner"}} in container["envFrom"]
    ]

    assert job["metadata"]["annotations"]["helm.sh/hook"] == "pre-install,pre-upgrade"
    assert owners == ["migrations"]


def test_settings_are_ones_that_exist(values):
    assert set(values["settings"]) <= set(settings_named())


def test_monitors_and_ingress_come_when_they_are_asked_for(objects):
    kinds = {"ServiceMonitor", "PodMonitor", "Ingress"}

    assert kinds <= {one["kind"] for one in objects}
    assert kinds.isdisjoint({one["kind"] for one in render_chart(read_values())})


def test_objects_fit_the_schemas_of_kubernetes(objects):
    validator = pytest.importorskip("kubernetes_validate", reason="kubernetes-validate is not installed")

    for one in objects:
        if not one["apiVersion"].startswith("monitoring.coreos.com/"):
            validator.validate(one, "1.31", strict=True)


@pytest.mark.skipif(shutil.which("helm") is None, reason="helm is not here")
def test_helm_finds_no_fault_and_renders_the_same(objects):
    subprocess.run(["helm", "lint", CHART], check=True)
    options = ["--set", "monitors.enabled=true,ingress.enabled=true"]
    made = subprocess.run(["helm", "template", "lab", CHART, *options], check=True, capture_output=True).stdout

    def by_name(found):
        return sorted((one for one in found if one), key=lambda one: (one["kind"], one["metadata"]["name"]))

    assert by_name(yaml.safe_load_all(made)) == by_name(objects)
