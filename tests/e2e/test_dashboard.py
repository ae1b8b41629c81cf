"""In a real browser: what a scientist does with runs and instruments, from finding one to downloading it."""

import re
from datetime import UTC, datetime

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser import chromium, signed_in, visit, width_of
from tests.factories import PASSWORD
from tests.service import Service

INES, OMAR = "ines@halden.example", "omar@halden.example"
RUN = "2026-11-20_lysozyme-refold_timecourse_2of4_after-lamp-change"
RUN_PAGE = f"/instruments/cary-60-uvvis-bench-3/runs/{RUN}"

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """The demonstration laboratory with one admin."""
    with Service(tmp_path_factory.mktemp("dashboard") / "data") as service:
        service.manage("create_admin", INES, "--name", "Ines Example", IDS_ADMIN_PASSWORD=PASSWORD)
        service.manage("create_admin", OMAR, "--name", "Omar Example", IDS_ADMIN_PASSWORD=PASSWORD)
        service.manage("seed_demo")
        yield service


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def session(service, browser):
    """The cookies of Ines."""
    with visit(browser, service.url) as visitor:
        visitor.page.goto("/accounts/login/")
        visitor.page.get_by_label("E-mail").fill(INES)
        visitor.page.get_by_label("Password").fill(PASSWORD)
        visitor.page.get_by_role("button", name="Sign in").click()
        expect(visitor.page.get_by_role("navigation", name="Main")).to_be_visible()
        return visitor.page.context.storage_state()


@pytest.fixture
def ines(service, browser, session):
    with visit(browser, service.url, storage_state=session, timezone_id="Asia/Tokyo") as visitor:
        yield visitor.page


@pytest.fixture
def without_script(service, browser, session):
    with visit(browser, service.url, storage_state=session, java_script_enabled=False) as visitor:
        yield visitor.page


def test_typing_narrows_the_list_and_the_address_reproduces_it(ines, browser, service, session):
    ines.goto("/runs")
    ines.get_by_role("searchbox", name="Part of a run's name").fill("refold")
    expect(ines.get_by_role("status").first).to_have_text("3 runs")
    ines.get_by_text("Status", exact=True).first.click()
    ines.get_by_label("Failed").check()
    ines.get_by_role("button", name="Apply").locator("visible=true").click()
    expect(ines.get_by_role("status").first).to_have_text("1 run")
    expect(ines).to_have_url(f"{service.url}/runs?search=refold&status=failed")

    with visit(browser, service.url, storage_state=session) as other:
        other.page.goto(ines.url)
        expect(other.page.get_by_role("link", name=RUN)).to_be_visible()
        expect(other.page.get_by_role("searchbox", name="Part of a run's name")).to_have_value("refold")


def test_columns_are_put_in_another_order_and_the_menu_stays_open(ines):
    ines.goto("/runs")
    ines.get_by_text("Columns", exact=True).click()
    ines.get_by_role("button", name="Move Instrument up").click()
    expect(ines).to_have_url(re.compile("columns=run%2Cinstrument%2Cstatus|columns=run,instrument,status|columns="))

    expect(ines.locator("thead th").nth(3)).to_have_text("Instrument")
    expect(ines.get_by_role("button", name="Move Instrument down")).to_be_visible()


def test_a_view_is_saved_shared_and_opened_by_somebody_else(service, browser, ines):
    ines.goto("/runs?search=refold&status=failed&columns=run%2Cmetadata.buffer")
    ines.get_by_text("Views", exact=True).click()
    ines.get_by_label("Name of the view").fill("Refolding that failed")
    ines.get_by_label("Share with everybody").check()
    ines.get_by_role("button", name="Save", exact=True).click()
    expect(ines.get_by_text("View Refolding that failed saved.")).to_be_visible()
    ines.reload()
    expect(ines.locator(".views > summary")).to_contain_text("Refolding that failed")

    with visit(browser, service.url, storage_state=signed_in(browser, service.url, OMAR)) as other:
        other.page.goto("/runs")
        other.page.locator(".views > summary").click()
        expect(other.page.locator(".views .sub")).to_have_text("Ines Example")
        other.page.get_by_role("link", name="Refolding that failed").first.click()
        expect(other.page).to_have_url(ines.url)
        expect(other.page.get_by_role("link", name=RUN)).to_be_visible()


def test_metadata_of_the_one_instrument_is_offered(ines):
    ines.goto("/runs?instrument_id=cary-60-uvvis-bench-3")
    ines.get_by_text("Metadata", exact=True).click()
    ines.get_by_text("buffer", exact=True).locator("visible=true").click()
    ines.get_by_role("link", name="50 mM Tris pH 8.2").click()

    expect(ines.get_by_role("status").first).to_have_text("1 run")


def test_rows_are_picked_by_keys_and_in_ranges(ines):
    ines.goto("/runs?search=refold")
    ines.keyboard.press("j")
    ines.keyboard.press("x")
    expect(ines.locator(".bulk .sum")).to_have_text("10 files, 5.2 MB")
    boxes = ines.locator("tbody .pick")
    boxes.nth(2).click(modifiers=["Shift"])

    expect(ines.locator("tbody .pick:checked")).to_have_count(3)
    ines.get_by_role("button", name="Clear the selection").click()
    expect(ines.get_by_role("region", name="Selected runs")).to_be_hidden()


def test_what_a_picked_run_does_not_allow_is_not_offered(ines):
    ines.goto("/runs?search=echo_dose-response")
    ines.locator("tbody .pick").first.check()

    expect(ines.get_by_role("button", name="Delete")).to_be_visible()
    expect(ines.get_by_role("button", name="Download")).to_be_hidden()
    expect(ines.get_by_role("button", name="Restore")).to_be_hidden()


@pytest.mark.parametrize("width", [360, 1280])
def test_picked_runs_are_tagged_and_the_tag_is_taken_back(ines, width):
    ines.set_viewport_size({"width": width, "height": 800})
    ines.goto("/runs?search=refold")
    for number in (0, 1):
        ines.locator("tbody .pick").nth(number).check()
    bar = ines.get_by_role("region", name="Selected runs")
    bar.get_by_text("Tag", exact=True).click()
    typed = bar.get_by_label("Tag of the selected runs")
    typed.fill("reviewed")
    box, top = typed.bounding_box(), bar.bounding_box()["y"]
    assert 0 <= box["x"] <= width - box["width"]
    assert box["y"] + box["height"] <= top
    bar.get_by_role("button", name="Put on").click()
    expect(ines.get_by_text("2 runs tagged reviewed.")).to_be_visible()
    ines.get_by_role("button", name="Undo").click()

    expect(ines.get_by_text("Tag reviewed removed from 2 runs.")).to_be_visible()


def test_a_run_is_deleted_and_brought_back(ines):
    ines.goto("/runs?search=unicorn_1")
    ines.locator("tbody .pick").first.check()
    ines.get_by_role("button", name="Delete").click()
    expect(ines.get_by_text("Run deleted.")).to_be_visible()
    expect(ines.get_by_text("No run has that in its name")).to_be_visible()

    ines.get_by_role("button", name="Undo").click()

    expect(ines.get_by_role("link", name="unicorn_1")).to_be_visible()


def test_a_run_is_claimed_and_a_comment_written_edited_and_deleted(ines):
    ines.goto(RUN_PAGE)
    ines.get_by_role("button", name="Claim").click()
    expect(ines.get_by_role("complementary").locator(".kv")).to_contain_text("Ines Example")

    ines.get_by_label("Your comment").fill("**Baseline** redone")
    ines.get_by_role("button", name="Comment").click()
    expect(ines.locator(".md strong").last).to_have_text("Baseline")

    ines.get_by_role("link", name="Edit").last.click()
    ines.locator("#edit-comment").fill("Baseline kept")
    ines.get_by_role("button", name="Save").click()
    expect(ines.locator(".md", has_text="Baseline kept")).to_be_visible()

    ines.get_by_role("link", name="Edit").last.click()
    ines.locator("form summary", has_text="Delete").click()
    ines.get_by_role("button", name="Delete for good").click()
    expect(ines.get_by_text("Comment deleted.")).to_be_visible()
    expect(ines.locator(".md", has_text="Baseline kept")).to_be_hidden()
    ines.get_by_role("button", name="Unclaim").click()


def test_a_comment_is_sent_by_keys(ines):
    ines.goto(RUN_PAGE)
    ines.get_by_label("Your comment").fill("The lamp is new")

    ines.keyboard.press("Control+Enter")

    expect(ines.locator(".md", has_text="The lamp is new")).to_be_visible()


def test_the_report_is_looked_at_item_by_item(ines, service):
    ines.goto(RUN_PAGE)
    expect(ines.locator(".field-of-view")).to_be_visible()
    ines.get_by_role("link", name="Next spectrum").click()
    expect(ines.get_by_label("Position")).to_have_value("2")
    second = ines.url
    ines.get_by_label("Position").fill("4")
    ines.get_by_label("Position").press("Enter")
    expect(ines.locator(".viewer-bar .title")).to_have_text("lyso_t030_rep2.jdx")

    ines.goto(second)
    expect(ines.get_by_label("Position")).to_have_value("2")

    kinds = ines.get_by_role("navigation", name="Kinds of report")
    kinds.get_by_role("link", name="Plates").click()
    expect(ines.get_by_role("region", name="Plate map")).to_be_visible()
    kinds.get_by_role("link", name="Images").click()
    expect(ines.get_by_role("img", name="Field 3, GFP")).to_be_visible()
    assert width_of(ines.get_by_role("img", name="Field 3, GFP")) == 640


def test_times_stand_in_the_browsers_zone_and_the_instruments_on_hover(ines):
    ines.goto(RUN_PAGE)

    title = ines.get_by_role("complementary").locator("time").first.get_attribute("title")

    assert "Asia/Tokyo" in title
    assert "at the instrument" in title


def test_one_file_and_a_whole_run_are_downloaded(ines):
    ines.goto("/runs?search=lysozyme-refold_timecourse_2of4")
    ines.get_by_role("link", name=RUN).click()
    with ines.expect_download() as one:
        ines.get_by_role("link", name="Download lyso_t000_rep1.jdx").click()
    assert one.value.suggested_filename == "lyso_t000_rep1.jdx"

    ines.get_by_role("link", name="lyso_t000_rep1.jdx", exact=True).click()
    expect(ines).to_have_url(re.compile(r"[?&]anchor=\d+"))
    expect(ines.locator("#report .viewer-bar .title")).to_have_text("lyso_t000_rep1.jdx")


def test_a_waiting_file_is_asked_for(ines):
    ines.goto(RUN_PAGE)
    ines.get_by_label("Select cuvette-photo_before-cleaning.jpg").check()
    ines.get_by_role("button", name="Ask for upload").click()

    expect(ines.locator(".toast")).to_contain_text("1 file.")
    expect(ines.get_by_text("Upload requested").locator("visible=true")).to_be_visible()


def test_a_pending_instrument_is_confirmed_and_followed(ines):
    ines.goto("/instruments?status=pending")
    ines.get_by_role("link", name="NanoDrop One, bench 5").click()
    ines.get_by_role("button", name="Confirm").click()
    expect(ines.get_by_text("1 instrument: active.")).to_be_visible()
    ines.get_by_role("button", name="Follow").click()

    expect(ines.get_by_role("list", name="Followed").get_by_text("NanoDrop One, bench 5")).to_be_visible()


def test_keys_lead_from_page_to_page(ines, service):
    ines.clock.set_fixed_time(datetime.now(UTC))  # g waits a second and a half for its letter
    ines.goto("/runs")
    ines.keyboard.press("?")
    expect(ines.get_by_role("dialog", name="Shortcuts")).to_be_visible()
    ines.keyboard.press("Escape")
    ines.keyboard.press("g")
    ines.keyboard.press("i")

    expect(ines).to_have_url(f"{service.url}/instruments")


def test_operators_are_understood_while_they_are_typed(ines, service):
    ines.goto("/runs")
    box = ines.get_by_role("searchbox", name="Part of a run's name")
    box.fill("tag:growth plate_1 by:nobdoy")
    expect(ines.get_by_role("alert").filter(has_text="by:nobdoy")).to_contain_text("nobody of that name")
    box.fill("tag:growth plate_1")
    expect(ines.get_by_role("status").first).to_have_text("3 runs")
    expect(ines.get_by_role("alert")).to_have_count(0)
    expect(ines).to_have_url(f"{service.url}/runs?search=tag%3Agrowth+plate_1")

    ines.get_by_label("Remove what was typed: Tag growth").click()

    expect(ines).to_have_url(f"{service.url}/runs?search=plate_1")


@pytest.mark.parametrize("has_script", [True, False], ids=["with script", "without script"])
def test_the_list_is_grouped_and_a_group_folds(ines, without_script, has_script):
    page = ines if has_script else without_script
    page.goto("/runs?search=growth_E-coli")
    page.locator("summary", has_text="Group").click()
    page.get_by_role("link", name="Sample", exact=True).click()
    heading = page.get_by_role("rowheader").filter(has_text="MG1655")
    expect(heading).to_contain_text("12 runs")
    first = page.get_by_role("link", name="growth_E-coli_37C_plate_12")
    expect(first).to_be_visible()

    page.get_by_label("Fold MG1655").press("Space")
    expect(first).to_be_hidden()
    page.get_by_label("Fold MG1655").press("Space")
    expect(first).to_be_visible()


def test_keys_pass_over_headings_of_groups_and_what_is_folded(ines):
    ines.goto("/runs?group_by=metadata.sample&search=tag:growth+plate_1")
    ines.keyboard.press("j")
    ines.keyboard.press("j")

    expect(ines.locator("tbody tr:focus-within .key")).to_contain_text("plate_")


LAID_OUT = ("/", "/runs", RUN_PAGE, f"{RUN_PAGE}/history", "/runs/new", "/projects", "/inbox", "/settings/tokens")


@pytest.mark.parametrize("width", [360, 1280, 1920, 2560])
def test_titles_and_rulers_stand_at_one_place_on_every_page(ines, width):
    ines.set_viewport_size({"width": width, "height": 900})
    found = {}
    for path in LAID_OUT:
        ines.goto(path)
        head, title = ines.locator(".page-head").bounding_box(), ines.locator("h1").bounding_box()
        found[path] = (title["x"], head["x"], head["width"])

    assert set(found.values()) == {found["/runs"]}, found


def test_small_pictures_are_drawn_under_the_content_policy(ines):
    ines.goto("/runs?search=growth_E-coli")
    picture = ines.locator("img.thumb").first
    expect(picture).to_be_visible()

    assert width_of(picture) == 96


def test_everything_is_reached_without_script(without_script, service):
    page = without_script
    page.goto("/runs")
    page.get_by_role("searchbox", name="Part of a run's name").fill("refold")
    page.get_by_role("searchbox", name="Part of a run's name").press("Enter")
    expect(page).to_have_url(f"{service.url}/runs?search=refold")
    page.get_by_role("link", name=RUN).click()
    page.get_by_role("link", name="Next spectrum").click()
    expect(page.get_by_label("Position")).to_have_value("2")
    page.get_by_label("Your comment").fill("Written without script")
    page.get_by_role("button", name="Comment").click()
    expect(page.get_by_text("Written without script")).to_be_visible()
    page.goto("/runs?search=unicorn_1")
    page.locator("tbody .pick").first.check()
    page.get_by_role("button", name="Claim", exact=True).click()
    expect(page.get_by_text("Run claimed.")).to_be_visible()


@pytest.mark.parametrize("width", [360, 768, 1280, 1920])
@pytest.mark.parametrize(
    "path",
    [
        "/runs",
        "/runs?group_by=day&search=by:annna+last+4+weeks",
        RUN_PAGE,
        "/instruments",
        "/instruments/cary-60-uvvis-bench-3",
    ],
)
def test_no_page_scrolls_sideways(service, browser, session, path, width):
    with visit(browser, service.url, storage_state=session, viewport={"width": width, "height": 900}) as visitor:
        visitor.page.goto(path)

        assert visitor.page.evaluate("document.documentElement.scrollWidth") <= width


def test_days_are_those_of_the_browser(ines):
    """Tokyo is nine hours ahead of the service."""
    weekday = "new Intl.DateTimeFormat('en', {weekday: 'long', timeZone: 'Asia/Tokyo'}).format()"
    before = ines.evaluate(weekday)
    ines.goto("/runs")

    ines.goto("/")

    expected = re.compile(f"{before}|{ines.evaluate(weekday)}")  # it may be midnight there
    expect(ines.get_by_role("heading", level=1)).to_contain_text(expected)
    assert {"time_zone": "Asia/Tokyo"}.items() <= {c["name"]: c["value"] for c in ines.context.cookies()}.items()


@pytest.mark.parametrize("width", [360, 768])
def test_a_run_shows_its_report_first_and_its_history_last(service, browser, session, width):
    with visit(browser, service.url, storage_state=session, viewport={"width": width, "height": 900}) as visitor:
        visitor.page.goto(RUN_PAGE)

        parts = ("h-report", "h-gathering", "h-files", "h-comments", "h-history")
        tops = [visitor.page.locator(f"#{part}").bounding_box()["y"] for part in parts]
        assert tops == sorted(tops)


def test_a_printed_run_says_who_changed_it_since(ines):
    ines.goto(f"{RUN_PAGE}/metadata")
    ines.get_by_label("Name", exact=True).last.fill("printed")
    ines.get_by_label("Value", exact=True).last.fill("twice")
    ines.get_by_role("button", name="Save").click()

    ines.emulate_media(media="print")

    history = ines.get_by_role("region", name="History")
    expect(history.get_by_text("Ines Example set printed")).to_be_visible()
    expect(history.get_by_text("reported it")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "path",
    [
        "/runs",
        "/runs?status=failed&search=zzz",
        "/runs?group_by=metadata.sample&search=tag:growth+by:zz",
        RUN_PAGE,
        f"{RUN_PAGE}?section=plates",
        f"{RUN_PAGE}?section=tables",
        "/instruments",
        "/instruments/cary-60-uvvis-bench-3",
        "/instruments/cary-60-uvvis-bench-3/edit",
        f"{RUN_PAGE}/archive",
    ],
)
def test_nothing_serious_stands_in_the_way_of_anybody(service, browser, session, path, scheme):
    options = {"color_scheme": scheme, "reduced_motion": "reduce"}  # colours on their way are nobody's
    with visit(browser, service.url, storage_state=session, **options) as visitor:
        visitor.page.goto(path)

        found = Axe().run(visitor.page).response["violations"]

        serious = [one for one in found if one["impact"] in ("serious", "critical")]
        assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in serious] == []
