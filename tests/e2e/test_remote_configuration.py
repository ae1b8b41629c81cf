"""In a real browser, with a real agent: an admin edits a configuration and sees what becomes of it."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from agent.tests.lab import Lab
from agent.tests.running import make_tokens
from tests.browser import chromium, signed_in, visit
from tests.factories import PASSWORD
from tests.service import Service

INES = "ines@halden.example"
SOON = 120_000  # ms: pages refresh every ten seconds

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with Service(tmp_path_factory.mktemp("remote") / "data") as service:
        service.manage("create_admin", INES, "--name", "Ines Example", IDS_ADMIN_PASSWORD=PASSWORD)
        yield service


@pytest.fixture
def lab(service, tmp_path):
    """An instrument whose agent runs, and has brought what it found."""
    token, helper = make_tokens(service)
    with Lab(tmp_path, url=service.url, token=token, helper=helper, instrument="reader-7") as lab:
        lab.init()
        for name in ("one/a.csv", "one/b.raw"):
            lab.write(name, name.encode())
        lab.start()
        lab.wait_stored(2)
        yield lab


@pytest.fixture
def page(service, lab):
    with chromium() as browser:
        session = signed_in(browser, service.url, INES)
        with visit(browser, service.url, storage_state=session) as visitor:
            visitor.page.goto(f"/watchers/{lab.watcher_id}/configuration")
            yield visitor.page


def test_an_admin_looks_sends_and_sees_it_taken_and_the_next_one_refused(page, lab):
    area = page.get_by_label("config.yaml")
    text = area.input_value()

    area.fill(text.replace('["*"]', '["*.csv"]  # no raw data'))
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#preview")).to_contain_text("1 of 2")
    expect(page.locator("#preview")).to_contain_text("one/b.raw")
    assert [fault["id"] for fault in Axe().run(page).response["violations"]] == []
    page.get_by_role("button", name="Send to the computer").click()
    expect(page.get_by_text("Sent from here")).to_be_visible(timeout=SOON)
    assert "# no raw data" in lab.config.read_text(encoding="utf-8")

    page.get_by_role("link", name="Edit").click()
    area.fill("run_grouping: {by: regex, pattern: '(a)(b)'}\n")
    page.get_by_role("button", name="Send to the computer").click()
    expect(page.get_by_text("The agent refused")).to_be_visible(timeout=SOON)
    expect(page.get_by_text("must have exactly one group ( ), it has 2").first).to_be_visible()
    assert "# no raw data" in lab.config.read_text(encoding="utf-8")
    page.get_by_role("button", name="Withdraw").click()
    expect(page.get_by_text("The agent refused")).to_have_count(0)
