"""In a real browser: a curve under pointer, wheel, fingers and keys, a plate's slider, and both without script."""

import json
import math
import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser import Visit, chromium, signed_in, visit
from tests.e2e.lab_script import LabScript, path_of
from tests.factories import PASSWORD
from tests.samples.instruments import jcamp_spectrum
from tests.service import Service

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SCOPES = "instruments:create,runs:read,runs:create,runs:update,runs:upload,files:read,files:create,files:update"
PERSON, RUN = "ines@halden.example", "bench-1"
PAGE = f"/instruments/bench/runs/{RUN}"
TWO = {
    "format": "ids-curve/1",
    "title": "Amplification",
    "x": {"label": "Cycle", "unit": "#"},
    "y": {"label": "Fluorescence", "unit": "RFU", "log": True},
    "series": [
        {"label": well, "x": list(range(1, 41)), "y": [10 ** (cycle / 10) * factor for cycle in range(1, 41)]}
        for well, factor in (("A1", 1), ("B1", 3))
    ],
}
PLATE = {
    "format": "ids-plate/1",
    "title": "Growth",
    "rows": 8,
    "columns": 12,
    "quantity": "OD600",
    "unit": "AU",
    "wells": {"A1": {"value": 0.1, "values": [0.1, 0.4, 0.9]}, "A2": {"value": None, "note": "OVRFLW"}},
    "steps": {"label": "Time", "unit": "min", "values": [0, 30, 60]},
}

TABLE = {
    "format": "ids-table/1",
    "title": "Cells",
    "columns": [{"name": "Sample", "unit": None}, {"name": "Viability", "unit": "%"}],
    "rows": [["S10", 96.9], ["=1+1", None], ["S9", 88.1]],
    "total_rows": 3,
}


def spectrum() -> bytes:
    """A band at 1,700 cm-1 on a scan from 4,000 down to 400."""
    heights = [round(1000 * math.exp(-(((4000 - step - 1700) / 40) ** 2))) for step in range(3601)]
    lines = (f"{4000 - step} " + " ".join(map(str, heights[step : step + 8])) for step in range(0, 3601, 8))
    return jcamp_spectrum("\n".join(lines), first=4000, last=400, points=3601, YFACTOR="0.001").encode()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """One run with a spectrum that an instrument wrote, and three artefacts that a script did."""
    folder = tmp_path_factory.mktemp("curves")
    with Service(folder / "data") as service:
        service.manage("create_admin", PERSON, "--name", "Ines Example", IDS_ADMIN_PASSWORD=PASSWORD)
        script = LabScript(service.url, service.manage("create_token", "lab", "--scopes", SCOPES).strip())
        script.call("POST", "/instruments", {"id": "bench"})
        script.call("POST", "/instruments/bench/runs", {"run_id": RUN})
        sent: dict[str, Any] = {"scan.jdx": spectrum(), "two.json": TWO, "plate.json": PLATE, "cells.json": TABLE}
        for name, data in sent.items():
            path = folder / name
            path.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
            if isinstance(data, dict):
                kind = data["format"].removeprefix("ids-").removesuffix("/1")
                about = {"filename": name, "category": "processed", "content_type": "application/json"}
                script.call("POST", f"{path_of('bench', RUN)}/files", {**about, "metadata": {"kind": kind}})
            more = {"category": "processed", "content_type": "application/json"} if isinstance(data, dict) else {}
            file_id = script.upload(path_of("bench", RUN), path, path.name, **more)
            wait_until_read(script, file_id, is_raw=not more)
        yield service


def wait_until_read(script: LabScript, file_id: int, *, is_raw: bool) -> None:
    until = time.monotonic() + 180
    while is_raw and script.call("GET", f"/files/{file_id}")["status"] != "completed":
        assert time.monotonic() < until
        time.sleep(0.2)


@pytest.fixture(scope="module")
def session(service: Service) -> Iterator[tuple[Any, Any]]:
    with chromium() as browser:
        yield browser, signed_in(browser, service.url, PERSON)


@pytest.fixture
def visitor(service: Service, session: tuple[Any, Any]) -> Iterator[Visit]:
    browser, state = session
    with visit(browser, service.url, storage_state=state, viewport={"width": 1280, "height": 900}) as visitor:
        yield visitor


@pytest.fixture
def ines(visitor: Visit) -> Page:
    return visitor.page


def plot_of(page: Page, item: str) -> Locator:
    page.goto(f"{PAGE}?section=spectra&find={item}")
    page.locator(".plot[data-state=ready]").wait_for()
    return page.locator("svg.field-of-view")


def ends(page: Page) -> tuple[float, float]:
    """The least and the greatest number beside the abscissa."""
    texts = page.locator(".plot .tick[text-anchor=middle]").all_text_contents()
    numbers = [float(text.replace(",", "")) for text in texts]
    return min(numbers), max(numbers)


def at(field: Locator, share: float) -> tuple[float, float]:
    box = field.bounding_box()
    assert box is not None
    return box["x"] + box["width"] * share, box["y"] + box["height"] / 2


def test_the_pointer_reads_a_wavenumber_axis_that_runs_to_the_left(ines):
    field = plot_of(ines, "scan")

    ines.mouse.move(*at(field, (4000 - 1700) / 3600))

    expect(ines.locator(".reading")).to_have_text(re.compile(r"^(1|0\.9\d+) AU at 1,(69|70)\d cm⁻¹$"))


def test_dragging_zooms_and_a_double_click_shows_all(ines):
    field = plot_of(ines, "scan")
    ines.mouse.move(*at(field, 0.6))
    ines.mouse.down()
    ines.mouse.move(*at(field, 0.7), steps=3)
    ines.mouse.up()
    expect(ines.get_by_role("button", name="Show the whole range")).to_be_visible()
    zoomed = ends(ines)

    field.dblclick()

    expect(ines.get_by_role("button", name="Show the whole range")).to_be_hidden()
    assert 1480 <= zoomed[0] < zoomed[1] <= 1840
    assert ends(ines) == (500, 4000)


def test_the_wheel_zooms_where_the_pointer_is(ines):
    field = plot_of(ines, "scan")
    ines.mouse.move(*at(field, 0.5))

    ines.mouse.wheel(0, -300)

    expect(ines.get_by_role("button", name="Show the whole range")).to_be_visible()
    low, high = ends(ines)
    assert 500 < low < 2200 < high < 4000


def test_keys_read_and_zoom(ines):
    plot_of(ines, "scan")
    ines.locator(".plot").focus()

    ines.keyboard.press("Home")
    expect(ines.locator(".reading")).to_have_text("0 AU at 4,000 cm⁻¹")
    ines.keyboard.press("ArrowRight")
    expect(ines.locator(".reading")).to_have_text("0 AU at 3,999 cm⁻¹")
    ines.keyboard.press("+")
    expect(ines.get_by_role("button", name="Show the whole range")).to_be_visible()
    ines.keyboard.press("0")
    expect(ines.get_by_role("button", name="Show the whole range")).to_be_hidden()


def test_the_legend_switches_traces_on_an_axis_of_powers_of_ten(ines):
    plot_of(ines, "two")
    expect(ines.locator(".plot path.trace")).to_have_count(2)
    assert "1,000" in ines.locator(".plot .tick[text-anchor=end]").all_text_contents()

    ines.get_by_role("button", name="A1").click()

    expect(ines.locator(".plot path.trace")).to_have_count(1)
    expect(ines.get_by_role("button", name="A1")).to_have_attribute("aria-pressed", "false")


LEFTMOST_DOT = """dots => {
    const { a, e, d, f } = dots.getScreenCTM();
    const [left, top] = dots.getAttribute("d").match(/[\\d.]+/g).map(Number);
    return document.elementFromPoint(left * a + e - 1.5, top * d + f) === dots;
}"""


def test_points_at_the_very_edge_are_drawn_whole(ines):
    plot_of(ines, "two")

    assert ines.locator(".plot path.dots").first.evaluate(LEFTMOST_DOT)

    ines.keyboard.press("Tab")
    ines.locator(".plot").focus()
    ines.keyboard.press("+")
    expect(ines.get_by_role("button", name="Show the whole range")).to_be_visible()
    outside = "dots => dots.getBBox().x < -1 || dots.getBBox().x + dots.getBBox().width > 1001"
    assert not ines.locator(".plot path.dots").first.evaluate(outside)


def test_two_fingers_zoom(service, session):
    browser, state = session
    with visit(
        browser, service.url, storage_state=state, viewport={"width": 360, "height": 780}, has_touch=True
    ) as visitor:
        field = plot_of(visitor.page, "scan")
        field.scroll_into_view_if_needed()
        touch = visitor.page.context.new_cdp_session(visitor.page)
        for kind, shares in (("touchStart", (0.4, 0.6)), ("touchMove", (0.2, 0.8)), ("touchEnd", ())):
            points = [dict(zip("xy", at(field, share), strict=True), id=number) for number, share in enumerate(shares)]
            touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

        expect(visitor.page.get_by_role("button", name="Show the whole range")).to_be_visible()


def test_a_slider_runs_through_the_times_of_a_plate(ines):
    ines.goto(f"{PAGE}?section=plates")
    expect(ines.locator("td", has_text="0.10")).to_be_visible()

    ines.get_by_label("Time").press("ArrowRight")

    expect(ines.locator("td", has_text="0.40")).to_be_visible()
    expect(ines.locator("#step-now")).to_contain_text("30 min")
    expect(ines).to_have_url(f"{ines.url.partition('&step')[0]}&step=1")


def test_a_table_is_sorted_by_any_of_its_columns(ines):
    ines.goto(f"{PAGE}?section=tables")
    head = ines.get_by_role("columnheader", name="Sample")
    samples = ines.locator(".frame tbody td:first-child")

    head.get_by_role("button").press("Enter")

    expect(head).to_have_attribute("aria-sort", "ascending")
    expect(samples).to_have_text(["=1+1", "S9", "S10"])
    ines.get_by_role("button", name="Viability").click()
    expect(head).not_to_have_attribute("aria-sort", re.compile("."))
    expect(samples).to_have_text(["S9", "S10", "=1+1"])


def test_rows_that_did_not_come_are_asked_for_again(visitor):
    ines = visitor.page
    ines.goto(f"{PAGE}?section=tables")
    rows = f"**{ines.locator('table[data-table]').get_attribute('data-table')}"
    head = ines.get_by_role("columnheader", name="Sample")
    ines.route(rows, lambda route: route.abort())
    head.get_by_role("button").press("Enter")
    expect(ines.get_by_role("alert")).to_contain_text("The rows did not come.")

    ines.unroute(rows)
    ines.get_by_role("button", name="Try again").click()

    expect(head).to_have_attribute("aria-sort", "ascending")
    visitor.trouble.clear()


def test_a_column_that_was_pressed_twice_before_its_rows_came_falls(ines):
    held = []
    ines.goto(f"{PAGE}?section=tables")
    ines.route(f"**{ines.locator('table[data-table]').get_attribute('data-table')}", lambda route: held.append(route))
    head = ines.get_by_role("columnheader", name="Sample")

    for _ in range(2):
        head.get_by_role("button").press("Enter")
    for _ in range(1_200):
        if held:
            break
        ines.wait_for_timeout(50)
    held[0].continue_()

    expect(head).to_have_attribute("aria-sort", "descending")
    expect(ines.locator(".frame tbody td:first-child")).to_have_text(["S10", "S9", "=1+1"])


@pytest.mark.parametrize(
    ("query", "begins"),
    [
        ("section=tables", "Sample,Viability (%)\r\nS10,96.9\r\n'=1+1,\r\n"),
        ("section=plates", "Well,Sample,Time (min),OD600 (AU),Note\r\nA1,,0,0.1,\r\nA1,,30,0.4,\r\n"),
        ("section=spectra&find=two", "Cycle,A1,B1\r\n1,1.25"),
    ],
    ids=["table", "plate", "curve"],
)
def test_what_is_shown_is_taken_along(ines, query, begins):
    ines.goto(f"{PAGE}?{query}")

    assert exported(ines, "CSV").decode().startswith(begins)
    assert exported(ines, "SVG").startswith(b"<svg ")
    assert exported(ines, "PNG").startswith(b"\x89PNG")


def exported(page: Page, form: str) -> bytes:
    menu = page.locator("[data-export] > summary")
    menu.click()
    with page.expect_download() as download:
        page.get_by_role("button", name=f"({form})").click()
    return download.value.path().read_bytes()


def test_an_axis_is_switched_to_logarithms_and_back(ines):
    field = plot_of(ines, "two")
    switch = ines.get_by_label("Logarithmic Fluorescence (RFU)")
    expect(switch).to_be_checked()

    switch.uncheck()

    expect(field.locator(".tick[text-anchor=end]").first).to_have_text("0")
    switch.check()
    expect(field.locator(".tick[text-anchor=end]").first).to_have_text(re.compile("^1|2|5$"))


def test_without_script_curve_and_plate_are_there(service, session):
    browser, state = session
    with visit(browser, service.url, storage_state=state, java_script_enabled=False) as visitor:
        visitor.page.goto(f"{PAGE}?section=spectra&find=scan")
        expect(visitor.page.locator(".plot path.trace")).to_have_count(1)
        visitor.page.goto(f"{PAGE}?section=plates&step=2")
        expect(visitor.page.locator("td", has_text="0.90")).to_be_visible()
