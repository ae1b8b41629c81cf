"""In a real browser: the planes of an image by pointer and keys, its contrast, and the picture without script."""

import io
import re
from collections.abc import Iterator
from time import monotonic

import numpy as np
import pytest
import tifffile
from PIL import Image
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser import PATIENCE, chromium, visit
from tests.e2e.lab_script import LabScript, path_of
from tests.e2e.test_curves import SCOPES, wait_until_read
from tests.factories import PASSWORD
from tests.service import Service

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PERSON, RUN = "ines@halden.example", "cells-1"
PAGE = f"/instruments/scope/runs/{RUN}"
BLUE, GREEN = 0, 1
NOTE_DEPTHS = """() => {
  const [output, said] = [document.querySelector("output[name=z-said]"), []];
  new MutationObserver(() => {
    if (output.textContent !== said.at(-1)) said.push(output.textContent);
    document.documentElement.dataset.depths = said.join(", ");
  }).observe(output, { childList: true, characterData: true, subtree: true });
}"""


def cells() -> bytes:
    """Two times, three depths, two channels: one value for each plane, 16 bits deep, half of it above 255."""
    pixels = np.zeros((2, 3, 2, 1200, 1600), dtype=np.uint16)
    for time, depth, channel in np.ndindex(2, 3, 2):
        pixels[time, depth, channel, :, 800:] = 1000 * (1 + depth) + 10_000 * time + 5000 * channel
    written = io.BytesIO()
    about = {"axes": "TZCYX", "PhysicalSizeX": 0.5, "Channel": {"Name": ["DAPI", "GFP"], "Color": [65535, 16711935]}}
    tifffile.imwrite(written, pixels, ome=True, metadata=about, compression="zlib")
    return written.getvalue()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("images")
    with Service(folder / "data") as service:
        service.manage("create_admin", PERSON, "--name", "Ines Example", IDS_ADMIN_PASSWORD=PASSWORD)
        script = LabScript(service.url, service.manage("create_token", "lab", "--scopes", SCOPES).strip())
        script.call("POST", "/instruments", {"id": "scope"})
        script.call("POST", "/instruments/scope/runs", {"run_id": RUN})
        path = folder / "cells.ome.tif"
        path.write_bytes(cells())
        wait_until_read(script, script.upload(path_of("scope", RUN), path, path.name), is_raw=True)
        yield service


def opened(page: Page) -> Locator:
    """The viewer of the run's image, ready."""
    page.goto("/accounts/login/")
    page.get_by_label("E-mail").fill(PERSON)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_role("navigation", name="Main").wait_for()
    page.goto(PAGE)
    viewer = page.locator(".imager")
    if not viewer.get_attribute("data-library"):
        pytest.skip("no OpenSeadragon here: npm reached no registry")
    expect(viewer).to_have_attribute("data-state", "ready")
    return viewer


def color_at(page: Page, across: float) -> list[int]:
    """Red, green and blue in that part of the width of what is seen."""
    seen = Image.open(io.BytesIO(page.locator(".stage").screenshot())).convert("RGB")
    return list(seen.getpixel((round(seen.width * across), seen.height // 2)))  # type: ignore[arg-type]


def wait_for_color(page: Page, across: float, wanted: list[int]) -> None:
    until = monotonic() + 4 * PATIENCE / 1000  # tiles that do not come are asked for again
    while monotonic() < until:
        if all(abs(found - value) <= 3 for found, value in zip(color_at(page, across), wanted, strict=True)):
            return
        page.wait_for_timeout(50)
    assert color_at(page, across) == wanted


def set_slider(slider: Locator, value: int) -> None:
    slider.evaluate(
        "(one, value) => { one.value = value; one.dispatchEvent(new Event('input', {bubbles: true})) }", value
    )


def test_channels_contrast_depth_and_time_are_drawn_from_all_sixteen_bits(service: Service) -> None:
    with chromium() as browser, visit(browser, service.url) as person:
        page = person.page
        viewer = opened(page)
        for channel, white in ((BLUE, 13_000), (GREEN, 18_000)):
            set_slider(viewer.locator(f"[name=low-{channel}]"), 0)
            set_slider(viewer.locator(f"[name=high-{channel}]"), white)

        wait_for_color(page, 0.75, [0, round(255 * 7 / 18), round(255 * 2 / 13)])  # depth 2 of time 1
        set_slider(viewer.locator("[name=t]"), 2)
        wait_for_color(page, 0.75, [0, round(255 * 17 / 18), round(255 * 12 / 13)])
        viewer.get_by_label("Maximum").check(force=True)
        wait_for_color(page, 0.75, [0, 255, 255])
        viewer.get_by_role("checkbox", name="GFP").uncheck()
        wait_for_color(page, 0.75, [0, 0, 255])
        wait_for_color(page, 0.25, [0, 0, 0])


def test_tiles_that_did_not_come_are_asked_for_again(service: Service) -> None:
    refused = set[str]()

    def refuse_once(route: Route) -> None:
        if route.request.url in refused:
            route.continue_()
        else:
            refused.add(route.request.url)
            route.fulfill(status=503)

    with chromium() as browser, visit(browser, service.url) as person:
        person.page.route(re.compile(r"/tiles/.*/\d+-\d+$"), refuse_once)
        viewer = opened(person.page)
        for channel in (BLUE, GREEN):
            set_slider(viewer.locator(f"[name=low-{channel}]"), 0)
            set_slider(viewer.locator(f"[name=high-{channel}]"), 1000)

        wait_for_color(person.page, 0.75, [0, 255, 255])
        assert refused
        person.trouble.clear()  # the browser writes down what was refused


def test_tiles_that_never_come_hold_up_nothing_and_are_asked_for_again(service: Service) -> None:
    silent = set[str]()

    def leave_the_first(route: Route) -> None:
        if is_silent and route.request.url not in silent:
            silent.add(route.request.url)  # and no answer, ever
        else:
            route.continue_()

    with chromium() as browser, visit(browser, service.url) as person:
        is_silent = False
        person.page.route(re.compile(r"/tiles/.*/\d+-\d+$"), leave_the_first)
        viewer = opened(person.page)
        for channel, white in ((BLUE, 13_000), (GREEN, 18_000)):
            set_slider(viewer.locator(f"[name=low-{channel}]"), 0)
            set_slider(viewer.locator(f"[name=high-{channel}]"), white)
        wait_for_color(person.page, 0.75, [0, round(255 * 7 / 18), round(255 * 2 / 13)])

        is_silent = True
        set_slider(viewer.locator("[name=z]"), 3)
        person.page.wait_for_function("() => document.querySelector('output[name=z-said]').textContent === '3 of 3'")
        while not silent:
            person.page.wait_for_timeout(50)
        is_silent = False
        set_slider(viewer.locator("[name=t]"), 2)
        wait_for_color(person.page, 0.75, [0, round(255 * 18 / 18), round(255 * 13 / 13)])
        set_slider(viewer.locator("[name=t]"), 1)

        wait_for_color(person.page, 0.75, [0, round(255 * 8 / 18), round(255 * 3 / 13)])
        assert silent


def test_depths_are_summed_and_played(service: Service) -> None:
    with chromium() as browser, visit(browser, service.url) as person:
        page = person.page
        viewer = opened(page)
        viewer.get_by_role("checkbox", name="GFP").uncheck()
        set_slider(viewer.locator(f"[name=low-{BLUE}]"), 0)
        set_slider(viewer.locator(f"[name=high-{BLUE}]"), 4000)

        set_slider(viewer.locator("[name=z]"), 1)
        wait_for_color(page, 0.75, [0, 0, 64])  # not that of the sum, as depth 2 would be
        viewer.get_by_label("Sum").check(force=True)
        wait_for_color(page, 0.75, [0, 0, 128])  # 1000, 2000 and 3000 are 6000 of 12000
        expect(viewer.locator("output[name=z-said]")).to_have_text("sum of 3")
        box = page.locator(".stage").bounding_box()
        assert box is not None
        page.locator(".stage").hover(position={"x": box["width"] * 0.75, "y": box["height"] / 2})  # that tile is there
        expect(page.locator("figcaption .reading")).to_contain_text(re.compile("DAPI (≈ )?6,000"))

        page.evaluate(NOTE_DEPTHS)  # each stays for a sixth of a second: who looks now and then may always see the same
        play = viewer.get_by_role("button", name="Play").first
        play.click()
        expect(page.locator("html")).to_have_attribute("data-depths", re.compile("1 of 3, 2 of 3, 3 of 3, 1 of 3"))
        viewer.get_by_role("button", name="Stop").click()
        wait_for_color(page, 0.25, [0, 0, 0])


def test_keys_turn_the_planes_and_the_pointer_reads_the_numbers_of_the_file(service: Service) -> None:
    with chromium() as browser, visit(browser, service.url, viewport={"width": 1280, "height": 1000}) as person:
        page = person.page
        viewer = opened(page)
        canvas = viewer.locator(".stage .openseadragon-canvas").first
        canvas.focus()

        page.keyboard.press("]")
        page.keyboard.press(".")

        expect(viewer.locator("output[name=z-said]")).to_have_text("3 of 3")
        expect(viewer.locator("output[name=t-said]")).to_have_text("2 of 2")
        for _ in range(4):
            viewer.get_by_role("button", name="Larger").click()
        page.wait_for_timeout(800)
        box = canvas.bounding_box()
        assert box is not None
        reading, until = page.locator(".imager ~ figcaption .reading"), monotonic() + PATIENCE / 1000
        while "DAPI 13,000 · GFP 18,000" not in reading.inner_text() and monotonic() < until:  # its tiles are fetched
            page.mouse.move(box["x"] + box["width"] * 0.75 - 1, box["y"] + box["height"] / 2)
            page.mouse.move(box["x"] + box["width"] * 0.75, box["y"] + box["height"] / 2)
            page.wait_for_timeout(50)
        expect(reading).to_contain_text("DAPI 13,000 · GFP 18,000")
        page.keyboard.press("m")
        expect(viewer.locator("output[name=z-said]")).to_have_text("maximum of 3")


def test_a_scale_bar_is_as_long_as_the_pixels_say(service: Service) -> None:
    with chromium() as browser, visit(browser, service.url, viewport={"width": 1280, "height": 1000}) as person:
        viewer = opened(person.page)

        bar = viewer.locator(".stage-scale")

        expect(bar).to_be_visible()
        said, unit = bar.locator("span").inner_text().split()
        pixels = viewer.locator(".stage").evaluate("one => one.clientWidth") / 1600
        drawn = bar.locator("svg").evaluate("one => Number(one.getAttribute('width'))") - 2
        assert unit == "µm"
        assert abs(drawn - float(said) / 0.5 * pixels) < 2


def test_without_script_and_on_paper_there_is_one_picture(service: Service) -> None:
    with chromium() as browser, visit(browser, service.url) as person:
        viewer = opened(person.page)
        person.page.emulate_media(media="print")

        expect(viewer.locator(".stage-picture")).to_be_visible()
        expect(viewer.locator(".stage")).to_be_hidden()
        expect(viewer.locator(".channels-box")).to_be_hidden()


def test_it_fits_a_telephone(service: Service) -> None:
    with chromium() as browser, visit(browser, service.url, viewport={"width": 360, "height": 740}) as person:
        viewer = opened(person.page)

        assert person.page.evaluate("document.documentElement.scrollWidth") <= 360
        expect(viewer.locator("[name=z]")).to_be_visible()
