"""Ten tasks of a laboratory, each by what is to be seen on the pages: labels and links, no address but the first."""

import io
import re
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser import signed_in, visit
from tests.e2e.conftest import OMAR
from tests.service import Service

SPECTRUM = "wavelength [nm],absorbance [AU]\n" + "".join(f"{250 + n},{n * n / 1000}\n" for n in range(60))

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def page(demonstration: Service, demonstration_browser: Browser, mira: Any) -> Iterator[Page]:
    allowed = ["clipboard-read", "clipboard-write"]
    with visit(demonstration_browser, demonstration.url, storage_state=mira, permissions=allowed) as visitor:
        visitor.page.goto("/")
        yield visitor.page


def go(page: Page, place: str) -> None:
    link = page.get_by_role("navigation", name="Main").get_by_role("link", name=place)
    link.click()
    expect(link).to_have_attribute("aria-current", "page")  # every page has a heading: the one before it, too
    page.wait_for_load_state()


def look_for(page: Page, text: str, *, found: str) -> None:
    go(page, "Runs")
    page.get_by_role("searchbox", name="Part of a run's name").fill(text)
    expect(page.get_by_role("status").first).to_have_text(found)


def wait_for_script(page: Page) -> None:
    """Until the list listens to keys and clicks."""
    expect(page.get_by_role("checkbox", name="Select all on this page")).to_be_visible()


def pick(page: Page, count: int) -> None:
    """The first so many of the list: the first box, and with shift the last."""
    wait_for_script(page)
    rows = page.locator("tbody").get_by_role("checkbox")
    rows.first.check()
    if count > 1:
        rows.nth(count - 1).click(modifiers=["Shift"])
    expect(page.locator("tbody").get_by_role("checkbox", checked=True)).to_have_count(count)


def bar(page: Page) -> Any:
    return page.get_by_role("region", name="Selected runs")


def test_yesterdays_runs_of_ines_with_a_density_over_one_are_found(page: Page) -> None:
    look_for(page, "by:ines od600>1 yesterday", found="1 run")

    expect(page.get_by_role("link", name="growth_E-coli_37C_plate_12")).to_be_visible()


def test_they_are_found_by_menus_alone(page: Page) -> None:
    go(page, "Runs")
    page.locator("summary", has_text="Date").first.click()
    page.get_by_role("link", name="Yesterday").click()
    expect(page.locator(".chip.set", has_text="Yesterday")).to_be_visible()
    page.locator("summary", has_text="Ran by").first.click()
    page.locator(".menu-body:visible").get_by_text("Ines Okafor").click()
    page.locator(".menu-body:visible").get_by_role("button", name="Apply").click()
    expect(page.locator(".chip.set", has_text="Ines Okafor")).to_be_visible()
    page.locator("summary", has_text="Metadata").first.click()
    page.get_by_label("Name", exact=True).fill("od600")
    page.get_by_label("Its value").select_option("is over")
    page.get_by_label("Value", exact=True).fill("1")
    page.locator(".menu-body:visible").get_by_role("button", name="Apply").click()

    expect(page.get_by_role("status").first).to_have_text("1 run")
    expect(page.get_by_role("link", name="growth_E-coli_37C_plate_12")).to_be_visible()


def test_three_traces_are_laid_over_each_other(page: Page) -> None:
    look_for(page, "SEC_antibody", found="3 runs")
    pick(page, 3)
    bar(page).get_by_role("button", name="Compare").click()

    expect(page.get_by_role("heading", name="3 runs compared")).to_be_visible()
    expect(page.locator('.plot[data-state="ready"]')).to_be_visible()
    how = page.get_by_role("combobox", name="Curves", exact=True)
    how.focus()
    how.select_option("offset")
    expect(page.locator(".legend")).to_contain_text("SEC_antibody_S200_02 + ")
    expect(how).to_be_focused()
    expect(page.get_by_role("button", name="Draw")).to_have_count(0)
    page.get_by_role("checkbox", name="SEC_antibody_S200_02").uncheck()

    expect(page.get_by_role("heading", name="2 runs compared")).to_be_visible()


def test_the_view_is_saved_and_sent_and_a_colleague_sees_the_same(
    page: Page, demonstration: Service, demonstration_browser: Browser
) -> None:
    page.clock.install()
    look_for(page, "tag:growth od600>1", found="12 runs")
    page.get_by_text("Views", exact=True).click()
    page.get_by_label("Name of the view").fill("Grown over night")
    page.get_by_label("Share with everybody").check()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("View Grown over night saved.")).to_be_visible()
    page.clock.pause_at(datetime.now(UTC) + timedelta(minutes=1))  # it is copied for three seconds
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    sent = page.evaluate("navigator.clipboard.readText()")

    with visit(
        demonstration_browser,
        demonstration.url,
        storage_state=signed_in(demonstration_browser, demonstration.url, OMAR),
    ) as colleague:
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
    page.get_by_role("link", name="Upload files").click()
    page.get_by_label("Name", exact=True).fill("from the stick")
    page.get_by_role("button", name="Create run").click()
    expect(page.get_by_role("heading", name="Upload files", exact=True)).to_be_visible()
    page.wait_for_load_state()  # whole, and it takes files
    if not page.get_by_text("Choose a folder").count():
        pytest.skip("no @noble/hashes here: npm reached no registry")
    page.get_by_label("Choose a folder").set_input_files(folder)
    page.get_by_role("link", name="Open the run").click()

    expect(page.get_by_role("link", name="t015.csv", exact=True).first).to_be_visible()


def test_a_colleague_is_invited(page: Page, demonstration: Service, demonstration_browser: Browser) -> None:
    page.get_by_text("Mira Example", exact=True).first.click()
    page.get_by_role("link", name="Invite somebody").click()
    page.get_by_label("E-mail address").fill("nils@halden.example")
    page.get_by_role("button", name="Create link").click()
    expect(page.get_by_role("heading", name="Send this link to nils@halden.example")).to_be_visible()
    link = page.locator("#password-link").inner_text()

    with visit(demonstration_browser, demonstration.url) as colleague:
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


def test_what_was_tagged_stays_picked_and_is_downloaded_by_keys_alone(page: Page) -> None:
    go(page, "Runs")
    wait_for_script(page)
    page.keyboard.press("j")
    for _ in range(2):
        page.keyboard.press("x")
        page.keyboard.press("j")
    page.keyboard.press("b")
    expect(bar(page).get_by_text("Tag", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type("by-keys")
    page.keyboard.press("Enter")
    notice = page.get_by_text("2 runs tagged by-keys.")
    expect(notice).to_be_visible()
    expect(bar(page).get_by_text("Tag", exact=True)).to_be_focused()
    expect(page.locator("tbody").get_by_role("checkbox", checked=True)).to_have_count(2)
    told, below = notice.bounding_box(), bar(page).bounding_box()
    assert told
    assert below
    assert told["y"] + told["height"] <= below["y"]  # one does not lie on the other
    bar(page).get_by_role("button", name="Download").press("Enter")

    expect(page.get_by_role("heading", name="Download 2 runs")).to_be_visible()


def test_a_preset_of_days_is_chosen_by_keys_and_the_focus_stays(page: Page) -> None:
    go(page, "Runs")
    date = page.locator("summary", has_text="Date").first
    date.press("Enter")
    page.get_by_role("link", name="Yesterday").press("Enter")
    expect(page.locator(".chip.set", has_text="Yesterday")).to_be_visible()
    expect(date).to_be_focused()
    page.get_by_role("link", name="Remove the filter Date").press("Enter")
    expect(page.locator(".chip.set")).to_have_count(0)

    expect(date).to_be_focused()


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
    attention = page.get_by_role("listitem").filter(has_text="AKTA-1-07 is offline")

    expect(attention).to_contain_text("ÄKTA pure 25")


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
    bar(page).get_by_text("Tag", exact=True).click()
    bar(page).get_by_label("Tag of the selected runs").fill("from-two-pages")
    bar(page).get_by_role("button", name="Put on").click()

    expect(page.get_by_text("3 runs tagged from-two-pages.")).to_be_visible()


def test_all_that_match_are_deleted_and_brought_back(page: Page) -> None:
    go(page, "Runs")
    page.locator("tbody").get_by_role("checkbox").first.check()
    everything = page.get_by_role("status").first.inner_text()
    bar(page).get_by_label("that match").check()
    bar(page).get_by_role("button", name="Delete").click()
    expect(page.get_by_role("heading", name=f"Delete {everything}?")).to_be_visible()
    page.get_by_role("button", name=f"Delete {everything}").click()
    expect(page.get_by_text(f"{everything} deleted.")).to_be_visible(timeout=60_000)
    expect(page.get_by_role("status").first).to_have_text("0 runs")
    page.get_by_role("button", name="Undo").click()

    expect(page.get_by_text(f"{everything} restored.")).to_be_visible(timeout=60_000)
    expect(page.get_by_role("status").first).to_have_text(everything)


def test_what_is_done_to_all_that_match_is_stopped(page: Page) -> None:
    held, is_stopped = list[Route](), False

    def hold_each_step(route: Route) -> None:
        if "hx-request" in route.request.headers and not is_stopped:
            held.append(route)
        else:
            route.continue_()

    go(page, "Runs")
    page.locator("tbody").get_by_role("checkbox").first.check()
    bar(page).get_by_label("that match").check()
    bar(page).get_by_text("Tag", exact=True).click()
    bar(page).get_by_label("Tag of the selected runs").fill("stopped")
    bar(page).get_by_role("button", name="Put on").click()
    page.route("**/runs/selection/matching", hold_each_step)
    page.get_by_role("button", name=re.compile("^Add the tag stopped to ")).click()
    stop = page.get_by_role("checkbox", name="Stop here")
    expect(stop).to_be_focused()
    page.keyboard.press("Space")
    expect(stop).to_be_checked()
    is_stopped = True
    for route in held:
        route.continue_()

    expect(page.get_by_text(re.compile(r"^(50|100|150) runs tagged stopped\.$"))).to_be_visible()


def test_the_tour_is_walked_through_by_keys_and_does_not_come_back(page: Page) -> None:
    page.get_by_role("button", name="Take the tour").first.click()
    tour = page.get_by_role("dialog", name="Tour")
    expect(tour.get_by_role("heading", name="Find")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(tour.get_by_role("heading", name="Arrange")).to_be_visible()
    with page.expect_response("**/tour"):
        page.keyboard.press("Escape")
    expect(tour).to_be_hidden()
    expect(page.get_by_text("New here?")).to_have_count(0)
    page.reload()
    expect(page.get_by_role("navigation", name="Main")).to_be_visible()
    expect(page.get_by_text("New here?")).to_have_count(0)

    page.keyboard.press("?")
    page.get_by_role("dialog", name="Shortcuts").get_by_role("button", name="Take the tour").click()

    expect(tour.get_by_role("heading", name="Find")).to_be_visible()
    expect(page.get_by_role("dialog", name="Shortcuts")).to_be_hidden()


def test_what_was_looked_for_is_offered_again_and_reached_by_keys(page: Page) -> None:
    look_for(page, "SEC_antibody", found="3 runs")
    page.get_by_role("searchbox", name="Part of a run's name").press("Enter")
    go(page, "Home")
    go(page, "Runs")
    page.keyboard.press("/")
    expect(page.get_by_role("link", name="SEC_antibody", exact=True)).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")

    expect(page.get_by_role("status").first).to_have_text("3 runs")


def test_a_column_is_dragged_wider_and_the_address_keeps_it(page: Page) -> None:
    look_for(page, "SEC_antibody", found="3 runs")
    head = page.get_by_role("columnheader", name="Status")
    head.locator(".grip").wait_for()
    before, edge = head.bounding_box(), head.locator(".grip").bounding_box()
    assert before
    assert edge
    page.mouse.move(edge["x"] + 3, edge["y"] + 5)
    page.mouse.down()
    page.mouse.move(edge["x"] + 63, edge["y"] + 5)
    page.mouse.up()
    page.wait_for_url("**widths=**")
    page.reload()

    after = page.get_by_role("columnheader", name="Status").bounding_box()
    assert after
    assert after["width"] > before["width"] + 30


def test_the_focus_outlives_what_is_replaced(page: Page) -> None:
    go(page, "Runs")
    page.get_by_role("link", name="Next page").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Previous page")).to_be_visible()
    expect(page.get_by_role("link", name="Next page")).to_be_focused()
    page.get_by_role("columnheader", name="Size").get_by_role("link").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**sort=total_size_bytes**")

    expect(page.get_by_role("columnheader", name="Size").get_by_role("link")).to_be_focused()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_serious_stands_in_the_way_of_anybody(
    demonstration: Service, demonstration_browser: Browser, mira: Any, scheme: Any
) -> None:
    options = {"color_scheme": scheme, "reduced_motion": "reduce"}  # colours on their way are nobody's
    with visit(demonstration_browser, demonstration.url, storage_state=mira, **options) as visitor:
        page = visitor.page
        page.goto("/runs?columns=run%2Cdata.growth_plate.od600.max&widths=run%3A320")
        page.get_by_text("Columns", exact=True).click()
        judge(page)
        page.goto("/runs")
        pick(page, 3)
        judge(page)
        bar(page).get_by_role("button", name="Download").click()
        expect(page.get_by_role("heading", name="Download 3 runs")).to_be_visible()
        judge(page)
        page.goto("/runs")
        bar(page).get_by_label("that match").check()
        bar(page).get_by_role("button", name="Delete").click()
        expect(page.get_by_role("button", name=re.compile("^Delete .* runs$"))).to_be_visible()
        judge(page)
        page.keyboard.press("?")
        page.get_by_role("dialog", name="Shortcuts").get_by_role("button", name="Take the tour").click()
        expect(page.get_by_role("dialog", name="Tour")).to_be_visible()
        judge(page)


def judge(page: Page) -> None:
    found = Axe().run(page).response["violations"]
    serious = [one for one in found if one["impact"] in ("serious", "critical")]
    assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in serious] == []
