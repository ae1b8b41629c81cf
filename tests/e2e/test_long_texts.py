"""Words that are longer than a page is wide, written by somebody whose name is, too."""

from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.browser import signed_in, visit
from tests.service import Service

RUN = "/instruments/akta-pure-25/runs/SEC_antibody_S200_01"
EMAIL = "long@halden.example"
COMMENT = f"|a|b|\n|-|-|\n|{'z' * 300}|{'y' * 300}|\n"

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def session(demonstration: Service, demonstration_browser: Browser) -> Any:
    """Of the author of a comment with a table."""
    demonstration.manage("create_admin", EMAIL, "--name", "N" * 100, IDS_ADMIN_PASSWORD="correct horse battery staple")
    session = signed_in(demonstration_browser, demonstration.url, EMAIL)
    with visit(demonstration_browser, demonstration.url, storage_state=session) as visitor:
        visitor.page.goto(RUN)
        visitor.page.get_by_label("Your comment").fill(COMMENT)
        visitor.page.get_by_role("button", name="Comment", exact=True).click()
        expect(visitor.page.locator(".md table")).to_be_visible()
    return session


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("path", ["/", RUN, f"/search?q={'R' * 190}"])
def test_no_page_scrolls_sideways(
    demonstration: Service, demonstration_browser: Browser, session: Any, path: str, width: int
) -> None:
    window = {"width": width, "height": 900}
    with visit(demonstration_browser, demonstration.url, storage_state=session, viewport=window) as visitor:
        visitor.page.goto(path)

        assert visitor.page.evaluate("document.documentElement.scrollWidth") <= width
