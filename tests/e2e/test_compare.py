"""In a real browser: runs picked in the list are compared, drawn over each other, averaged, and sent as an address."""

import math
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser import chromium, signed_in, visit
from tests.e2e.lab_script import LabScript, path_of
from tests.e2e.test_curves import wait_until_read
from tests.factories import PASSWORD
from tests.samples.instruments import jcamp_spectrum
from tests.service import Service

pytestmark = [pytest.mark.browser, pytest.mark.slow]
SCOPES = "instruments:create,runs:read,runs:create,runs:update,runs:upload,files:read,files:create,files:update"
PERSON = "ines@halden.example"


def spectrum(centre: int) -> bytes:
    heights = [round(1000 * math.exp(-(((400 + step - centre) / 60) ** 2))) for step in range(801)]
    lines = (f"{400 + step} " + " ".join(map(str, heights[step : step + 8])) for step in range(0, 801, 8))
    return jcamp_spectrum("\n".join(lines), first=400, last=1200, points=801, YFACTOR="0.001").encode()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("compare")
    with Service(folder / "data") as service:
        service.manage("create_admin", PERSON, "--name", "Ines Example", IDS_ADMIN_PASSWORD=PASSWORD)
        script = LabScript(service.url, service.manage("create_token", "lab", "--scopes", SCOPES).strip())
        script.call("POST", "/instruments", {"id": "bench"})
        for number, centre in enumerate((700, 720, 760)):
            buffer = "PBS" if number == 2 else "Tris"
            about = {"run_id": f"scan-{number}", "metadata": {"buffer": buffer, "lamp_hours": 100 + number}}
            script.call("POST", "/instruments/bench/runs", about)
            path = folder / f"scan-{number}.jdx"
            path.write_bytes(spectrum(centre))
            run = path_of("bench", f"scan-{number}")
            wait_until_read(script, script.upload(run, path, path.name), is_raw=True)
        yield service


def test_picked_runs_are_compared_and_the_address_is_sent(service):
    with chromium() as browser:
        state = signed_in(browser, service.url, PERSON)
        with visit(browser, service.url, storage_state=state) as seen:
            page = seen.page
            page.goto("/runs")
            for number in range(3):
                page.locator("tbody .pick").nth(number).check()
            page.get_by_role("button", name="Compare").click()
            expect(page.get_by_role("heading", name="3 runs compared")).to_be_visible()
            expect(page.locator('.plot[data-state="ready"]')).to_be_visible()
            expect(page.locator(".legend > button")).to_have_count(3)
            expect(page.locator("td.differs").first).to_be_visible()

            page.get_by_role("combobox", name="Curves", exact=True).select_option("mean")
            expect(page.locator('.plot[data-state="ready"] path.band')).to_have_count(1)
            expect(page.locator(".legend > button").first).to_have_text("Mean of 3")
            page.locator("figure", has=page.locator(".plot")).get_by_text("Export").click()
            with page.expect_download() as csv:
                page.get_by_role("button", name="Numbers (CSV)").first.click()
            assert "Mean of 3" in Path(csv.value.path()).read_text().splitlines()[0]
            sent = page.url
        with visit(browser, service.url, storage_state=state, java_script_enabled=False) as plain:
            plain.page.goto(sent)
            expect(plain.page.locator("path.band")).to_have_count(1)
            expect(plain.page.locator("path.trace").first).to_be_attached()
        if folder := os.environ.get("IDS_LOOK"):
            look(browser, service.url, state, sent, Path(folder))


def look(browser, url, state, address, folder):
    """Pictures for a person, where they are asked for."""
    for colours in ("light", "dark"):
        for width in (360, 1280, 1920):
            options = {"color_scheme": colours, "viewport": {"width": width, "height": 900}}
            with visit(browser, url, storage_state=state, **options) as seen:
                seen.page.goto(address)
                expect(seen.page.locator('.plot[data-state="ready"]')).to_be_visible()
                seen.page.screenshot(path=folder / f"compare_{width}{colours}.png", full_page=True)
