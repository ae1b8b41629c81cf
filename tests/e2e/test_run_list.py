"""The list of runs in a real browser: what is taken off, and what stays picked."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser import settle, visit

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def page(demonstration, demonstration_browser, mira):
    with visit(demonstration_browser, demonstration.url, storage_state=mira) as visitor:
        yield visitor.page


def test_clear_all_empties_the_box_in_place_and_the_same_text_narrows_again(page):
    page.goto("/runs")
    page.evaluate("window.isTheSamePage = true")
    box, count = page.get_by_role("searchbox", name="Part of a run's name"), page.get_by_role("status").first
    everything = count.inner_text()
    box.fill("refold is:failed")
    expect(count).to_have_text("1 run")
    settle(page)

    page.get_by_role("link", name="Clear all").click()
    expect(count).to_have_text(everything)
    expect(box).to_have_value("")
    box.fill("refold is:failed")
    expect(count).to_have_text("1 run")
    settle(page)
    page.get_by_role("link", name="Remove what was typed: Status").click()

    expect(box).to_have_value("refold")
    expect(count).to_have_text("3 runs")
    assert page.evaluate("window.isTheSamePage")


def test_a_deletion_is_taken_back_by_the_keyboard_alone(page):
    page.goto("/runs?search=unicorn_1")
    page.keyboard.press("j")
    page.keyboard.press("x")
    page.keyboard.press("b")
    delete = page.get_by_role("button", name="Delete")
    for _ in range(10):
        page.keyboard.press("Tab")
        if delete.evaluate("one => one === document.activeElement"):
            break
    page.keyboard.press("Enter")
    expect(page.get_by_text("Run deleted.")).to_be_visible()
    page.wait_for_load_state()  # keys are listened to
    page.keyboard.press("u")

    expect(page.get_by_text("Run restored.")).to_be_visible()


def test_a_deletion_is_still_taken_back_after_a_look_at_another_run(page):
    page.goto("/runs?search=unicorn_1")
    page.get_by_role("checkbox", name=re.compile("Select .*unicorn_1")).first.check()
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("Run deleted.")).to_be_visible()

    page.goto("/instruments")
    page.go_back()
    expect(page.get_by_text("Run deleted.")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Run restored.")).to_be_visible()
    page.goto("/instruments")
    page.go_back()

    expect(page.get_by_role("searchbox", name="Part of a run's name")).to_be_visible()
    expect(page.get_by_role("button", name="Undo")).to_have_count(0)


def test_arrows_walk_through_a_menu_and_escape_leaves_it(page):
    page.goto("/runs")
    date, today = page.locator("summary", has_text="Date").first, page.get_by_role("link", name="Today", exact=True)
    date.focus()
    page.keyboard.press("ArrowDown")
    expect(today).to_be_focused()
    page.keyboard.press("End")
    expect(page.locator(".menu-body:visible").get_by_role("button", name="Apply")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(today).to_be_focused()
    page.keyboard.press("Escape")

    expect(date).to_be_focused()
    expect(today).to_be_hidden()


def test_who_loses_the_tag_that_is_looked_for_is_not_picked_any_more(page):
    page.goto("/runs?search=refold")
    bar = page.get_by_role("region", name="Selected runs")
    page.locator(".pick-all").check()
    bar.get_by_text("Tag", exact=True).click()
    bar.get_by_label("Tag of the selected runs").fill("walked")
    bar.get_by_role("button", name="Put on").click()
    expect(page.get_by_text("3 runs tagged walked.")).to_be_visible()

    page.goto("/runs?search=tag:walked")
    page.locator("tbody .pick").first.check()
    page.locator("tbody .pick").nth(1).check()
    bar.get_by_text("Tag", exact=True).click()
    bar.get_by_label("Tag of the selected runs").fill("walked")
    bar.get_by_role("button", name="Take off").click()

    expect(page.get_by_text("Tag walked removed from 2 runs.")).to_be_visible()
    expect(bar).to_be_hidden()
    page.locator("tbody .pick").check()
    expect(bar.locator(".carried input")).to_have_count(0)


def test_a_group_folded_by_keys_is_left_by_them_and_stays_folded_when_the_list_refreshes(page):
    page.clock.install()
    page.goto("/runs?group_by=instrument")  # several at any time of day
    fold = page.locator(".group-fold input").first
    rows = page.locator("tbody").first.locator("tr:not(.group)")
    expect(rows.first).to_be_visible()
    expect(page.locator("main .live")).to_be_visible()
    fold.press("Space")
    expect(rows.first).to_be_hidden()
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.closest('tr').matches('tr.group ~ tr:not(.group)')")

    page.evaluate("document.activeElement.blur()")
    list_before = page.locator(".group-fold").first.element_handle()
    with page.expect_response(lambda answer: "group_by=instrument" in answer.url):
        page.clock.run_for(11_000)
    page.wait_for_function("one => !one.isConnected", arg=list_before)

    expect(page.locator(".group-fold input").first).to_be_checked()
    expect(rows.first).to_be_hidden()


def test_on_paper_times_are_exact_and_in_the_zone_of_who_reads(page):
    page.goto("/runs")
    first = page.locator("tbody time").first
    expect(first).to_have_attribute("data-exact", re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d GMT"))
    page.emulate_media(media="print")

    printed = first.evaluate("one => getComputedStyle(one, '::after').content")

    assert printed == f'"{first.get_attribute("data-exact")}"'


def test_a_menu_closes_when_the_focus_goes_on(page):
    page.goto("/runs")
    menu = page.locator("details.menu:has(> summary:has-text('Status'))")
    menu.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(menu).to_have_attribute("open", "")

    page.locator("#search").focus()

    expect(menu).not_to_have_attribute("open", "")
