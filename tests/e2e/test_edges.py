"""On paper, at the width of a laptop and over a slow network: what is shown is whole, and what is under way says so."""

from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import visit
from tests.service import Service

PLATES = "/compare?run=synergy-neo2/growth_E-coli_37C_plate_12&run=synergy-neo2/growth_E-coli_37C_plate_11"
LONG = "/runs?search=plate&status=completed"
OWN_COLUMNS = "/runs?columns=run,status,instrument,metadata.method,started"
CUT_CELLS = """() => [...document.querySelectorAll("td.cut")].filter(
    (cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent.trim())"""
NOTE_BUSY_BUTTONS = """() => new MutationObserver(() => {
    const button = document.querySelector("[aria-busy=true]");
    const line = getComputedStyle(document.body, "::after").position;
    if (button) sessionStorage.setItem("busy", `${button.textContent.trim()} ${line}`);
  }).observe(document.body, { subtree: true, attributes: true })"""

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def open_page(demonstration: Service, demonstration_browser: Browser, mira: Any) -> Any:
    """Opens an address in a window of this width."""

    def opened(path: str, *, width: int = 1280) -> Any:
        window = {"width": width, "height": 800}
        return _Opened(visit(demonstration_browser, demonstration.url, storage_state=mira, viewport=window), path)

    return opened


class _Opened:
    """The page of a visit that has gone to its address."""

    def __init__(self, visiting: Any, path: str) -> None:
        self.visiting, self.path = visiting, path

    def __enter__(self) -> Page:
        page: Page = self.visiting.__enter__().page
        page.goto(self.path)
        return page

    def __exit__(self, *raised: Any) -> None:
        self.visiting.__exit__(*raised)


def test_a_printed_list_says_how_many_there_are_and_what_narrowed_it(open_page: Any) -> None:
    with open_page(LONG) as page:
        page.emulate_media(media="print")

        expect(page.locator("#found [role=status]")).to_be_visible()
        expect(page.locator(".pager > span")).to_be_visible()
        expect(page.locator("#search")).to_be_visible()
        expect(page.locator(".chip.set", has_text="Completed").first).to_be_visible()
        expect(page.locator(".menu-body:visible")).to_have_count(0)


@pytest.mark.parametrize("path", ["/runs", OWN_COLUMNS, "/instruments"])
def test_names_wrap_where_they_were_cut(open_page: Any, path: str) -> None:
    with open_page(path) as page:
        assert page.evaluate(CUT_CELLS) == []


def test_the_ends_of_a_scale_stand_beside_it_on_a_phone(open_page: Any) -> None:
    with open_page(PLATES, width=360) as page:
        ends = page.locator(".viewer-foot").first.locator(".scale-row > .muted")

        low, high = (end.bounding_box() for end in ends.all())
        assert low["y"] == high["y"]


def test_a_form_that_takes_long_says_that_it_is_under_way(open_page: Any) -> None:
    with open_page("/settings/profile") as page:
        page.evaluate(NOTE_BUSY_BUTTONS)
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_text("Saved.")).to_be_visible()

        assert page.evaluate("sessionStorage.getItem('busy')") == "Save fixed"
        expect(page.locator("[aria-busy]")).to_have_count(0)


@pytest.mark.parametrize("kind", ["files/file", "datasets/dataset", "runs/run"])
def test_the_tables_of_the_admin_site_fit_a_laptop(open_page: Any, kind: str) -> None:
    with open_page(f"/admin/{kind}/") as page:
        wide, room = page.locator(".results").evaluate("part => [part.scrollWidth, part.clientWidth]")

        assert wide <= room
