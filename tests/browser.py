"""A real Chromium (Debian's, or Playwright's own) that remembers whatever went wrong on the pages it was shown."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, Request, expect

from operations.demo import camera
from tests.factories import PASSWORD

PATIENCE = 60_000  # ms: machines of the tests are busy, and stand still for seconds
expect.set_options(timeout=PATIENCE)


@dataclass
class Visit:
    """One person at one browser. `trouble` lists console errors, reports of the content policy and foreign requests."""

    page: Page
    host: str
    trouble: list[str] = field(default_factory=list)

    def on_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.trouble.append(message.text)

    def on_request(self, request: Request) -> None:
        address = urlsplit(request.url)
        if address.scheme in ("http", "https") and address.netloc != self.host:
            self.trouble.append(f"asked {address.netloc} for something")


@contextmanager
def chromium() -> Iterator[Browser]:
    """Skips the test, saying why, where no browser is installed."""
    try:
        with camera.open_chromium() as browser:
            yield browser
    except camera.NoChromium:
        pytest.skip("no Chromium here: apt-get install chromium")


def settle(page: Page) -> None:
    """Until htmx knows what it has brought last: before, a link of it leads to a page of its own."""
    expect(page.locator(".htmx-added")).to_have_count(0)


def width_of(picture: Locator) -> int:
    """Of what it shows, in pixels, once that has come."""
    width: int = picture.evaluate("image => image.decode().then(() => image.naturalWidth)")
    return width


def signed_in(browser: Browser, url: str, email: str) -> Any:
    """The cookies of this person."""
    return camera.sign_in(browser, url, email=email, password=PASSWORD)


@contextmanager
def visit(browser: Browser, url: str, **options: Any) -> Iterator[Visit]:
    """A new, empty profile; `options` are those of a Playwright context. Nothing may have gone wrong at the end."""
    context = browser.new_context(base_url=url, locale="en-GB", **options)
    context.set_default_timeout(PATIENCE)
    made = Visit(context.new_page(), urlsplit(url).netloc)
    made.page.on("console", made.on_console)
    made.page.on("pageerror", lambda error: made.trouble.append(str(error)))
    made.page.on("request", made.on_request)
    try:
        yield made
        assert made.trouble == [], made.trouble
    finally:
        context.close()
