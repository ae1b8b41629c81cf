"""Ten tasks of a laboratory, each by what is to be seen on the pages: labels and links, no address but the first."""

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import chromium, signed_in, visit
from tests.factories import PASSWORD
from tests.service import Service

MIRA, OMAR = "mira@halden.example", "omar@halden.example"
SPECTRUM = "wavelength [nm],absorbance [AU]\n" + "".join(f"{250 + n},{n * n / 1000}\n" for n in range(60))

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The demonstration laboratory; its growth plates of yesterday are those of Ines."""
    with Service(tmp_path_factory.mktemp("ten-tasks") / "data") as service:
        for email, name in ((MIRA, "Mira Example"), (OMAR, "Omar Example")):
            service.manage("create_admin", email, "--name", name, IDS_ADMIN_PASSWORD=PASSWORD)
        service.manage("seed_demo")
        yield service


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def session(service: Service, browser: Browser) -> Any:
    return signed_in(browser, service.url, MIRA)


@pytest.fixture
def page(service: Service, browser: Browser, session: Any) -> Iterator[Page]:
    allowed = ["clipboard-read", "clipboard-write"]
    with visit(browser, service.url, storage_state=session, permissions=allowed) as visitor:
        visitor.page.goto("/")
        yield visitor.page


def go(page: Page, place: str) -> None:
    page.get_by_role("navigation", name="Main").get_by_role("link", name=place).click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()


def look_for(page: Page, text: str, *, found: str) -> None:
    go(page, "Runs")
    page.get_by_role("searchbox", name="Part of a run's name").fill(text)
    expect(page.get_by_role("status").first).to_have_text(found)


def pick(page: Page, count: int) -> None:
    """The first so many of the list: the first box, and with shift the last."""
    boxes = page.get_by_role("row").get_by_role("checkbox", name="Select ").filter(visible=True)
    rows = page.locator("tbody").get_by_role("checkbox")
    rows.first.check()
    if count > 1:
        rows.nth(count - 1).click(modifiers=["Shift"])
    expect(boxes.first).to_be_visible()
    expect(page.locator("tbody").get_by_role("checkbox", checked=True)).to_have_count(count)


def bar(page: Page) -> Any:
    return page.get_by_role("region", name="Selected runs")


def test_yesterdays_runs_of_ines_with_a_density_over_one_are_found(page: Page) -> None:
    look_for(page, "by:ines od600>1 since:yesterday until:yesterday", found="1 run")

    expect(page.get_by_role("link", name="growth_E-coli_37C_plate_12")).to_be_visible()


def test_three_traces_are_laid_over_each_other(page: Page) -> None:
    look_for(page, "SEC_antibody", found="3 runs")
    pick(page, 3)
    bar(page).get_by_role("button", name="Compare").click()

    expect(page.get_by_role("heading", name="3 runs compared")).to_be_visible()
    expect(page.locator('.plot[data-state="ready"]')).to_be_visible()


def test_the_view_is_saved_and_sent_and_a_colleague_sees_the_same(
    page: Page, service: Service, browser: Browser
) -> None:
    look_for(page, "tag:growth od600>1", found="12 runs")
    page.get_by_text("Views", exact=True).click()
    page.get_by_label("Name of the view").fill("Grown over night")
    page.get_by_label("Share with everybody").check()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("View Grown over night saved.")).to_be_visible()
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    sent = page.evaluate("navigator.clipboard.readText()")

    with visit(browser, service.url, storage_state=signed_in(browser, service.url, OMAR)) as colleague:
        colleague.page.goto(sent)
        expect(colleague.page.get_by_role("status").first).to_have_text("12 runs")
        expect(colleague.page.get_by_role("link", name="growth_E-coli_37C_plate_12")).to_be_visible()
        expect(colleague.page.locator(".views > summary")).to_contain_text("Grown over night")


def test_a_folder_is_put_in(page: Page, tmp_path: Path) -> None:
    folder = tmp_path / "lysozyme"
    folder.mkdir()
    (folder / "t000.csv").write_text(SPECTRUM)
    (folder / "t015.csv").write_text(SPECTRUM.replace("absorbance", "scattering"))
    go(page, "Instruments")
    page.get_by_role("link", name="Synergy Neo2").first.click()
    page.get_by_role("link", name="Put in").click()
    page.get_by_label("Name", exact=True).fill("from the stick")
    page.get_by_role("button", name="Make it").click()
    expect(page.get_by_role("heading", name="Put in files")).to_be_visible()
    if not page.get_by_text("Choose a folder").count():
        pytest.skip("no @noble/hashes here: npm reached no registry")
    page.get_by_label("Choose a folder").set_input_files(folder)
    page.get_by_role("button", name="Send 2").click()
    page.get_by_role("link", name="Open the run").click()

    expect(page.get_by_role("link", name="t015.csv", exact=True).first).to_be_visible()


def test_a_colleague_is_invited(page: Page, service: Service, browser: Browser) -> None:
    page.get_by_text("Mira Example", exact=True).first.click()
    page.get_by_role("link", name="Settings", exact=True).click()
    page.get_by_role("link", name="Members").click()
    page.get_by_text("Invite somebody").click()
    page.get_by_label("Email").fill("nils@halden.example")
    page.get_by_role("button", name="Make the link").click()
    expect(page.get_by_role("heading", name="Send this link to nils@halden.example")).to_be_visible()
    link = page.locator("#password-link").inner_text()

    with visit(browser, service.url) as colleague:
        colleague.page.goto(link)
        expect(colleague.page.get_by_role("heading", level=1)).to_be_visible()
        expect(colleague.page.get_by_label("Password").first).to_be_visible()


def test_twenty_runs_are_tagged(page: Page) -> None:
    go(page, "Runs")
    pick(page, 20)
    bar(page).get_by_text("Tag", exact=True).click()
    bar(page).get_by_label("Tag of the selected runs").fill("reviewed")
    bar(page).get_by_role("button", name="Put on").click()

    expect(page.get_by_text("20 runs tagged reviewed.")).to_be_visible()


@pytest.mark.parametrize("form", ["Download one ZIP", "Download one ZIP of RO-Crates"])
def test_they_are_downloaded_as_one_zip(page: Page, form: str) -> None:
    look_for(page, "growth_E-coli", found="12 runs")
    pick(page, 12)
    bar(page).get_by_role("button", name="Download").click()
    expect(page.get_by_role("heading", name="Download 12 runs")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name=form, exact=True).click()

    with zipfile.ZipFile(download.value.path()) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
    assert {name.split("/")[1] for name in names if name.count("/") > 1} == {
        f"growth_E-coli_37C_plate_{number:02d}" for number in range(1, 13)
    }
    assert ("ro-crate-metadata.json" in names) == ("RO-Crates" in form)


def test_their_table_is_downloaded(page: Page) -> None:
    look_for(page, "growth_E-coli", found="12 runs")
    pick(page, 12)
    bar(page).get_by_role("button", name="Download").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the table").click()

    lines = io.StringIO(Path(download.value.path()).read_text()).readlines()
    assert len(lines) == 13
    assert "metadata.od600" in lines[0]


def test_the_silent_instrument_is_seen(page: Page) -> None:
    silent = (
        page.get_by_role("listitem").filter(has_text="silent").or_(page.get_by_role("row").filter(has_text="Silent"))
    )

    expect(silent.filter(has_text="ÄKTA pure 25").first).to_be_visible()


def test_a_deletion_is_undone(page: Page) -> None:
    look_for(page, "unicorn_", found="2 runs")
    pick(page, 2)
    bar(page).get_by_role("button", name="Delete").click()
    expect(page.get_by_text("2 runs deleted.")).to_be_visible()
    page.get_by_role("button", name="Undo").click()

    expect(page.get_by_text("2 runs restored.")).to_be_visible()
    expect(page.get_by_role("link", name="unicorn_1", exact=True)).to_be_visible()


def test_runs_stay_picked_from_page_to_page(page: Page) -> None:
    go(page, "Runs")
    pick(page, 2)
    page.get_by_role("link", name="Next page").click()
    expect(page.get_by_role("link", name="Previous page")).to_be_visible()
    page.locator("tbody").get_by_role("checkbox").first.check()
    bar(page).get_by_role("button", name="Claim").click()

    expect(page.get_by_text("3 runs claimed.")).to_be_visible()


def test_all_that_match_are_deleted_and_brought_back(page: Page) -> None:
    go(page, "Runs")
    page.locator("tbody").get_by_role("checkbox").first.check()
    everything = page.get_by_role("status").first.inner_text()
    bar(page).get_by_label("that match").check()
    bar(page).get_by_role("button", name="Delete").click()
    expect(page.get_by_role("heading", name=f"{everything} to be deleted")).to_be_visible()
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_text(f"{everything} deleted.")).to_be_visible(timeout=60_000)
    expect(page.get_by_role("status").first).to_have_text("0 runs")
    page.get_by_role("button", name="Undo").click()

    expect(page.get_by_text(f"{everything} restored.")).to_be_visible(timeout=60_000)
    expect(page.get_by_role("status").first).to_have_text(everything)
