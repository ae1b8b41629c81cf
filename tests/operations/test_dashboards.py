"""deploy/grafana and deploy/prometheus ask for figures that the service tells, and their rules do what they say."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from files.storage import cold_store
from tests.factories import make_stored_file
from tests.retention.cold import use_cold
from web.telemetry.metrics_collectors import CurrentStateCollector, MachineCollector, register
from wire.telemetry.metrics import REGISTRY
from wire.telemetry.process_metrics import ProcessSampler

CHECKOUT = Path(__file__).resolve().parents[2]
RULES = CHECKOUT / "deploy" / "prometheus" / "ids-rules.yaml"
DASHBOARDS = sorted((CHECKOUT / "deploy" / "grafana").glob("*.json"))
METRIC, RECORDED = re.compile(r"\bids_\w+"), re.compile(r"\bids:[\w:]+")
has_promtool = pytest.mark.skipif(
    shutil.which("promtool") is None, reason="promtool is not here (Debian: prometheus): rules are not tried"
)
each_dashboard = pytest.mark.parametrize("path", DASHBOARDS, ids=lambda path: path.stem)


def rules():
    return [rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]


def panels(path):
    return json.loads(path.read_text())["panels"]


def expressions():
    shown = [target["expr"] for path in DASHBOARDS for panel in panels(path) for target in panel["targets"]]
    return [*shown, *(rule["expr"] for rule in rules())]


def counted():
    """Names of what processes count, as a scrape shows them."""
    assert ProcessSampler.__module__ == "wire.telemetry.process_metrics"  # whose metrics are in the registry by now
    return {name for name in REGISTRY._names_to_collectors if not name.endswith("_created")}


@pytest.fixture
def with_cold_store(settings, tmp_path):
    use_cold(settings, tmp_path)
    yield
    cold_store.cache_clear()


def told():
    """Names of what is looked up for each scrape."""
    make_stored_file()  # so that the store has a place to measure
    registry = register(MachineCollector(), CurrentStateCollector())
    return {metric.name for metric in registry.collect()}


@pytest.mark.django_db
@pytest.mark.usefixtures("with_cold_store")
def test_dashboards_and_rules_ask_for_figures_that_are_told():
    asked = {name for text in expressions() for name in METRIC.findall(text)}

    assert asked - counted() - told() == set()


@pytest.mark.django_db
@pytest.mark.usefixtures("with_cold_store")
def test_every_figure_is_explained():
    shown = (CHECKOUT / "docs" / "metrics.md").read_text()
    bases = {re.sub(r"_(bucket|sum|count)$", "", name) for name in counted() | told()}

    missing = {name for name in bases if f"{name}`" not in shown and f"{name}_total`" not in shown}

    assert missing == set()


def test_dashboards_and_rules_use_sums_that_rules_make():
    made = {rule["record"] for rule in rules() if "record" in rule}
    used = {name for text in expressions() for name in RECORDED.findall(text)}

    assert used == made


@each_dashboard
def test_a_dashboard_asks_the_source_that_is_chosen_and_its_panels_do_not_overlap(path):
    shown = panels(path)
    cells = [
        (x, y)
        for place in (panel["gridPos"] for panel in shown)
        for x in range(place["x"], place["x"] + place["w"])
        for y in range(place["y"], place["y"] + place["h"])
    ]

    assert {panel["datasource"]["uid"] for panel in shown} == {"${datasource}"}
    assert len({panel["id"] for panel in shown}) == len(shown)
    assert len(set(cells)) == len(cells)
    assert max(x for x, _ in cells) < 24


def test_every_alert_has_a_test():
    tested = (RULES.parent / "ids-rules.test.yaml").read_text()

    assert [
        rule["alert"] for rule in rules() if "alert" in rule and f"alertname: {rule['alert']}\n" not in tested
    ] == []


@has_promtool
def test_rules_fire_when_they_should_and_only_then():
    done = subprocess.run(
        ["promtool", "test", "rules", "ids-rules.test.yaml"],
        cwd=RULES.parent,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr


@has_promtool
@each_dashboard
def test_prometheus_can_read_what_a_dashboard_asks(path, tmp_path):
    asked = {
        f"panel:{number}": text
        for number, text in enumerate(target["expr"] for panel in panels(path) for target in panel["targets"])
    }
    made = {"groups": [{"name": "panels", "rules": [{"record": name, "expr": text} for name, text in asked.items()]}]}
    (tmp_path / "panels.yaml").write_text(yaml.safe_dump(made))

    done = subprocess.run(
        ["promtool", "check", "rules", str(tmp_path / "panels.yaml")],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
