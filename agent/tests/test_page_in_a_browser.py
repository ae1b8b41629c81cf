"""The agent's page in a real browser: at every width, in both colour schemes, with script and without."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Browser, Page, expect

from agent.tests.lab import Lab
from agent.tests.visitor import page_address
from tests.browser import chromium, visit
from tests.ports import free_port

pytestmark = pytest.mark.browser
LONG = "without-any-break-" * 10


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture
def busy_lab(lab: Lab) -> Lab:
    """Files that arrived, with long and with hostile names, and some that cannot."""
    lab.write(f"R1/{LONG}.csv", b"12345")
    lab.write("R1/<img src=x onerror=alert(1)>.csv", b"1")
    lab.write("R1/invoice\u202egpj.exe", b"1")
    lab.write("R1/שלום עולם.csv", b"1")
    lab.write("top.csv", b"belongs to no run")
    lab.init(port=free_port())  # of no other agent, also when it begins anew
    lab.start()
    lab.wait_stored(3)
    page_address(lab)
    return lab


def test_somebody_pauses_and_goes_on_and_the_page_follows_by_itself(busy_lab: Lab, browser: Browser):
    with visit(browser, page_address(busy_lab)) as visitor:
        page = visitor.page
        page.goto(busy_lab.json("open")["address"])
        expect(page.get_by_role("heading", level=1)).to_have_text(busy_lab.instrument)

        page.get_by_label("How long").select_option("1 hour")
        page.get_by_role("button", name="Pause").click()
        expect(page.locator("#state")).to_contain_text("Paused until")
        busy_lab.write("R1/new.csv", b"12345")
        expect(page.get_by_role("region", name="Waiting")).to_contain_text("R1/new.csv")

        page.get_by_role("button", name="Go on uploading").click()
        expect(page.get_by_role("region", name="The last hour")).to_contain_text("R1/new.csv")
        expect(page.locator("#state")).to_contain_text("Up to date")
        assert page.url == f"{page_address(busy_lab)}/"


def test_a_check_shows_its_findings(busy_lab: Lab, browser: Browser):
    with visit(browser, page_address(busy_lab)) as visitor:
        visitor.page.goto(busy_lab.json("open")["address"])
        visitor.page.get_by_role("button", name="Check").click()

        expect(visitor.page.get_by_role("region", name="Check")).to_contain_text("Everything holds.")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280, 1920])
def test_it_fits_and_can_be_used_by_everybody(busy_lab: Lab, browser: Browser, width: int, scheme: str):
    viewport = {"width": width, "height": 800}
    with visit(browser, page_address(busy_lab), viewport=viewport, color_scheme=scheme) as visitor:
        visitor.page.goto(busy_lab.json("open")["address"])

        assert visitor.page.evaluate("document.documentElement.scrollWidth") <= width
        assert serious_violations(visitor.page) == []


def test_without_script_it_shows_and_does_the_same(busy_lab: Lab, browser: Browser):
    with visit(browser, page_address(busy_lab), java_script_enabled=False) as visitor:
        page = visitor.page
        page.goto(busy_lab.json("open")["address"])
        page.get_by_role("button", name="Pause").click()

        expect(page.locator("#state")).to_contain_text("Paused until")
        page.get_by_role("button", name="Upload now").click()
        expect(page.get_by_role("status").first).to_have_text("The folder is looked through, and what waits is sent.")


def test_the_page_says_when_the_agent_is_gone(busy_lab: Lab, browser: Browser):
    page = browser.new_page()
    page.goto(busy_lab.json("open")["address"])

    busy_lab.stop()

    expect(page.get_by_text("The agent does not answer. Is it running?")).to_be_visible(timeout=15_000)
    page.close()


def test_another_agent_at_its_port_is_not_taken_for_it(busy_lab: Lab, browser: Browser):
    page, port = browser.new_page(), urlsplit(page_address(busy_lab)).port
    page.goto(busy_lab.json("open")["address"])
    busy_lab.stop()
    busy_lab.set(port=port)
    (busy_lab.home / "page-key").unlink()  # what opens this page opens the other one as little

    busy_lab.start()

    assert page_address(busy_lab) == f"http://127.0.0.1:{port}"
    expect(page.get_by_text("The agent does not answer. Is it running?")).to_be_visible(timeout=15_000)
    expect(page.get_by_role("heading", level=1)).to_have_text(busy_lab.instrument)
    page.close()


def serious_violations(page: Page) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html']}" for one in found if one["impact"] in ("serious", "critical")]
