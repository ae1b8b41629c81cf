"""In a real browser: axe finds nothing in the way of anybody, on pages as they come and with what they hold open."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, FilePayload, Locator, Page, expect

from operations.demo.camera import SCHEMES
from tests.browser import visit
from tests.service import Service

RUN = "/instruments/cary-60-uvvis-bench-3/runs/2026-11-20_lysozyme-refold_timecourse_2of4_after-lamp-change"
LEADING = ("Compare", "Combine")  # to pages of their own
OPEN_ALL = "document.querySelectorAll('main details').forEach(one => { one.open = true })"

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def pick(page: Page, search: str, do: str) -> None:
    """Three runs, and what the bar offers for them."""
    page.goto(f"/runs?search={search}")
    for number in range(3):
        page.locator("tbody .pick").nth(number).check()
    page.get_by_role("region", name="Selected runs").get_by_text(do, exact=True).click()
    if do in LEADING:
        page.wait_for_url(f"**/{do.lower()}?*")


def press(page: Page, keys: str) -> None:
    page.goto("/")
    page.wait_for_load_state("networkidle")
    page.keyboard.press(keys)
    page.locator("dialog[open]").wait_for()


def open_all(page: Page, path: str) -> None:
    """The page with everything on it that folds out."""
    page.goto(path)
    page.evaluate(OPEN_ALL)


def choose_files(page: Page) -> None:
    """Two of the same bytes: each row says something, one asks something."""
    page.goto(f"{RUN}/put-in")
    if not page.locator("#put-in").count():
        return  # no @noble/hashes here: npm reached no registry
    files: list[FilePayload] = [
        {"name": name, "mimeType": "text/csv", "buffer": b"a,b\n1,2\n"} for name in ("a.csv", "b.csv")
    ]
    page.locator("#pick-files").set_input_files(files)
    page.get_by_role("group", name="1 file needs your decision.").wait_for()


def make_link(page: Page) -> None:
    page.goto(f"{RUN}/share")
    page.get_by_role("button", name="Create link").click()
    page.get_by_role("heading", name="Send this link").wait_for()


def people(page: Page) -> Locator:
    return page.get_by_role("listbox", name="People").get_by_role("option")


def name_anybody(page: Page) -> None:
    """As many are offered as ever are."""
    page.goto(RUN)
    page.get_by_label("Your comment").press_sequentially("see @")
    people(page).nth(7).wait_for()


def name_somebody(page: Page) -> None:
    name_anybody(page)
    page.get_by_label("Your comment").press_sequentially("in")
    expect(people(page)).to_have_count(3)


def make_code(page: Page) -> None:
    page.goto("/watchers/connect")
    page.get_by_role("button", name="Create code").click()
    page.get_by_text("Good until").wait_for()
    page.evaluate(OPEN_ALL)


VIEWS: dict[str, Callable[[Page], object]] = {
    "curves compared": partial(pick, search="SEC_antibody", do="Compare"),
    "plates compared": partial(pick, search="growth_E-coli", do="Compare"),
    "one table of many": partial(pick, search="growth_E-coli", do="Combine"),
    "tag": partial(pick, search="growth_E-coli", do="Tag"),
    "search": partial(press, keys="Control+k"),
    "shortcuts": partial(press, keys="?"),
    "files chosen": choose_files,
    "link made": make_link,
    "mention": name_somebody,
    "mention of anybody": name_anybody,
    "code": make_code,
    "wall": lambda page: page.goto("/wall"),
    **{
        path: partial(open_all, path=path)
        for path in (
            "/runs",
            RUN,
            f"{RUN}/sign",
            f"{RUN}/hold",
            f"{RUN}/metadata",
            f"{RUN}/history",
            "/runs/new",
            "/instruments/new",
            "/instruments/synergy-neo2/retention",
            "/inbox",
            "/projects",
            "/settings/space",
            "/settings/members",
            "/settings/groups/new",
            "/settings/shared-links",
            "/settings/webhooks/new",
            "/settings/integrations",
            "/settings/watcher-releases",
            "/admin/",
            "/admin/runs/run/",
            "/admin/runs/runtrail/",
            "/admin/watchers/watcherrelease/3/delete/",
        )
    },
}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_axe_finds_nothing(demonstration: Service, demonstration_browser: Browser, mira: Any, scheme: Any) -> None:
    options = {"color_scheme": scheme, "reduced_motion": "reduce"}
    found = {}
    with visit(demonstration_browser, demonstration.url, storage_state=mira, **options) as visitor:
        for name, show in VIEWS.items():
            show(visitor.page)
            violations = Axe().run(visitor.page).response["violations"]
            found[name] = [(one["id"], [node["html"] for node in one["nodes"]]) for one in violations]

    assert {name: violations for name, violations in found.items() if violations} == {}
