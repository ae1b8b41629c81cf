"""Pictures of pages in a headless Chromium, at every width and in both colour schemes."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page, StorageState, sync_playwright

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
VIEWPORT_HEIGHTS = {360: 740, 1280: 800, 1920: 1080}
MAX_HEIGHT_PIXELS = 12_000
TIMEOUT_MS = 120_000.0  # ms, for a machine that has much else to do
Scheme = Literal["light", "dark"]
SCHEMES: tuple[Scheme, ...] = ("light", "dark")

WAIT_UNTIL_DRAWN = """async () => {
    await Promise.all([...document.images].map(image => image.decode().catch(() => {})));
    await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""


class NoChromium(Exception):
    """There is no browser on this machine."""


@dataclass(frozen=True)
class View:
    """A page and what is done on it before the picture; `is_whole` takes what lies below the fold too."""

    name: str
    path: str
    act: Callable[[Page], None] | None = None
    is_whole: bool = True


@contextmanager
def open_chromium() -> Iterator[Browser]:
    """The system's browser, driven by Playwright."""
    found = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if found is None:
        raise NoChromium
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


def sign_in(browser: Browser, url: str, *, email: str, password: str) -> StorageState:
    page = browser.new_page(base_url=url)
    page.set_default_timeout(TIMEOUT_MS)
    page.goto("/accounts/login/")
    page.get_by_label("E-mail").fill(email)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_role("navigation", name="Main").wait_for()
    state = page.context.storage_state()
    page.context.close()
    return state


def take_screenshots(
    browser: Browser, url: str, views: list[View], *, into: Path, session: StorageState | None
) -> Iterator[Path]:
    """`<name>-<width>-<scheme>.png` for each view."""
    for scheme in SCHEMES if views else ():
        for width, height in VIEWPORT_HEIGHTS.items():
            context = browser.new_context(
                base_url=url,
                storage_state=session,
                color_scheme=scheme,
                viewport={"width": width, "height": height},
                timezone_id="Europe/Berlin",
                locale="en-GB",
                reduced_motion="reduce",
            )
            context.set_default_timeout(TIMEOUT_MS)
            page = context.new_page()
            for view in views:
                page.set_viewport_size({"width": width, "height": height})
                page.goto(view.path)
                if view.act:
                    view.act(page)
                    page.wait_for_load_state("networkidle")
                if view.is_whole:
                    _fit_viewport(page, width=width, least=height)
                page.evaluate(WAIT_UNTIL_DRAWN)
                picture = into / f"{view.name}-{width}-{scheme}.png"
                page.screenshot(path=picture)
                yield picture
            context.close()


def _fit_viewport(page: Page, *, width: int, least: int) -> None:
    """A window as high as the page: what sticks to its edges stays there, unlike in Playwright's full-page pictures."""
    height = page.evaluate("document.documentElement.scrollHeight")
    page.set_viewport_size({"width": width, "height": max(least, min(height, MAX_HEIGHT_PIXELS))})
