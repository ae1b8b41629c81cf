"""In a real browser: what somebody wrote survives the end of the session, and what failed is said with a way on."""

from datetime import UTC, datetime, timedelta

import pytest
import requests
from playwright.sync_api import Page, expect

from tests.browser import chromium, settle, signed_in, visit
from tests.factories import PASSWORD
from tests.service import Service

INES, OMAR = "ines@halden.example", "omar@halden.example"
RUN = "/instruments/reader/runs/one"
TEXT = "The cuvette was not clean.\nRead again tomorrow."

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with Service(tmp_path_factory.mktemp("failures") / "data") as service:
        for email, name in ((INES, "Ines Example"), (OMAR, "Omar Example")):
            service.manage("create_admin", email, "--name", name, IDS_ADMIN_PASSWORD=PASSWORD)
        token = service.manage("create_token", "script", "--scopes", "instruments:create,runs:create").strip()
        api = requests.Session()
        api.headers["Authorization"] = f"Bearer {token}"
        api.post(f"{service.url}/api/v1/instruments", json={"id": "reader"}, timeout=30).raise_for_status()
        api.post(f"{service.url}/api/v1{RUN.rpartition('/')[0]}", json={"run_id": "one"}, timeout=30).raise_for_status()
        yield service


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser:
        yield browser


@pytest.fixture
def visitor(service, browser):
    with visit(browser, service.url, storage_state=signed_in(browser, service.url, INES)) as visitor:
        yield visitor


def end_session(page: Page) -> None:
    page.context.clear_cookies(name="sessionid")


def sign_in_again(page: Page, email: str = INES) -> None:
    page.get_by_label("E-mail").fill(email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()


def test_a_comment_survives_the_end_of_the_session(visitor, service):
    page = visitor.page
    page.goto(RUN)
    page.get_by_label("Your comment").fill(TEXT)
    end_session(page)
    page.get_by_role("button", name="Comment", exact=True).click()
    sign_in_again(page)

    expect(page).to_have_url(f"{service.url}{RUN}")
    expect(page.get_by_label("Your comment")).to_have_value(TEXT)
    expect(page.get_by_text("This was not sent yet")).to_be_visible()
    page.get_by_role("button", name="Comment", exact=True).click()
    expect(page.locator("#said")).to_contain_text("The cuvette was not clean.")
    expect(page.get_by_label("Your comment")).to_have_value("")


def test_so_does_one_that_is_larger_than_what_is_taken_of_strangers(visitor, service):
    """Each of these characters is nine bytes of a form."""
    page, text = visitor.page, "試" * 9_000
    page.goto(RUN)
    page.get_by_label("Your comment").fill(text)
    end_session(page)
    page.get_by_role("button", name="Comment", exact=True).click()
    expect(page.get_by_role("heading", name="You are no longer signed in")).to_be_visible()
    page.get_by_role("link", name="Sign in").click()
    sign_in_again(page)

    expect(page).to_have_url(f"{service.url}{RUN}")
    expect(page.get_by_label("Your comment")).to_have_value(text)
    visitor.trouble.clear()  # the browser writes down that it was refused


def test_a_form_of_more_than_a_text_is_offered_whole_after_the_end_of_the_session(visitor):
    page = visitor.page
    page.goto("/projects")
    page.get_by_label("Name").fill("Refolding")
    page.get_by_label("Description").fill(TEXT)
    end_session(page)
    page.get_by_role("button", name="Create project").click()
    sign_in_again(page)
    expect(page.get_by_role("alert")).to_contain_text("“Create project” was not done.")
    page.get_by_role("button", name="Try again").click()

    expect(page.get_by_role("cell", name="Refolding")).to_be_visible()
    expect(page.get_by_role("cell", name="The cuvette was not clean.")).to_be_visible()


def test_a_page_whose_cookies_are_gone_says_so_and_the_text_is_kept(visitor):
    page = visitor.page
    page.goto(RUN)
    page.get_by_label("Your comment").fill(TEXT)
    page.context.clear_cookies()
    page.get_by_role("button", name="Comment", exact=True).click()
    expect(page.get_by_text("What you wrote is kept in this tab.")).to_be_visible()
    page.get_by_role("link", name="Reload the page").click()
    sign_in_again(page)

    expect(page.get_by_label("Your comment")).to_have_value(TEXT)
    visitor.trouble.clear()  # the browser writes down that it was refused


def kept(page: Page) -> str | None:
    """What the tab holds of a form that was sent, once the page has looked at it: as soon as it is loaded."""
    page.wait_for_load_state()
    return page.evaluate("sessionStorage.getItem('unsent')")


def meet_the_sign_in(page: Page) -> None:
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def test_what_one_person_wrote_is_not_shown_to_the_next(visitor, service):
    page = visitor.page
    page.goto(RUN)
    page.get_by_label("Your comment").fill(TEXT)
    end_session(page)
    page.get_by_role("button", name="Comment", exact=True).click()
    meet_the_sign_in(page)
    assert "cuvette" in kept(page)
    sign_in_again(page, OMAR)

    expect(page).to_have_url(f"{service.url}{RUN}")
    page.wait_for_load_state()
    expect(page.get_by_label("Your comment")).to_have_value("")
    expect(page.get_by_text("This was not sent yet")).to_have_count(0)
    assert kept(page) is None


def test_what_one_person_did_is_not_offered_to_the_next(visitor):
    page = visitor.page
    page.goto("/runs")
    page.locator("tbody .pick").first.check()
    end_session(page)
    page.get_by_role("region", name="Selected runs").get_by_role("button", name="Claim", exact=True).click()
    sign_in_again(page, OMAR)

    expect(page.get_by_role("navigation", name="Main")).to_be_visible()
    page.wait_for_load_state()
    expect(page.get_by_role("button", name="Try again")).to_have_count(0)
    assert kept(page) is None


def test_a_secret_is_not_kept_and_its_form_is_to_be_filled_in_again(visitor, service):
    page = visitor.page
    page.goto("/settings/webhooks/new")
    page.get_by_role("textbox").first.fill("https://lims.halden.example/in?key=s3cret")
    end_session(page)
    page.get_by_role("button", name="Add webhook").click()
    meet_the_sign_in(page)
    assert "s3cret" not in kept(page)
    sign_in_again(page)

    expect(page.get_by_role("alert")).to_contain_text("“Add webhook” was not done.")
    expect(page.get_by_role("button", name="Try again")).to_have_count(0)
    page.get_by_role("button", name="Fill it in again").click()
    expect(page).to_have_url(f"{service.url}/settings/webhooks/new")


def test_what_is_older_than_a_day_of_work_is_not_put_back(visitor):
    page = visitor.page
    page.goto(RUN)
    page.get_by_label("Your comment").fill(TEXT)
    end_session(page)
    page.get_by_role("button", name="Comment", exact=True).click()
    meet_the_sign_in(page)
    page.evaluate("""() => {
      const unsent = JSON.parse(sessionStorage.getItem("unsent"));
      sessionStorage.setItem("unsent", JSON.stringify({ ...unsent, at: unsent.at - 13 * 3_600_000 }));
    }""")
    sign_in_again(page)

    expect(page.get_by_label("Your comment")).to_have_value("")
    assert kept(page) is None


def test_more_than_a_tab_should_hold_is_not_kept(visitor):
    page = visitor.page
    page.goto(RUN)
    page.evaluate("document.addEventListener('submit', (event) => event.preventDefault())")
    page.get_by_label("Your comment").fill(TEXT)
    page.get_by_role("button", name="Comment", exact=True).click()
    assert "cuvette" in kept(page)
    page.locator("#new-comment").evaluate("box => { box.removeAttribute('maxlength'); box.value = 'x'.repeat(5e5); }")
    page.get_by_role("button", name="Comment", exact=True).click()

    assert kept(page) is None


def test_whoever_signs_out_leaves_nothing_to_be_done_again(service, browser):
    with visit(browser, service.url, storage_state=signed_in(browser, service.url, OMAR)) as visitor:
        page = visitor.page
        page.goto("/")
        page.locator("summary", has_text="Omar Example").click()
        page.get_by_role("button", name="Sign out").click()
        meet_the_sign_in(page)
        page.goto(RUN)
        sign_in_again(page)

        expect(page.get_by_label("Your comment")).to_be_visible()
        page.wait_for_load_state()
        expect(page.get_by_role("alert")).to_have_count(0)


def test_a_claim_after_the_end_of_the_session_leads_back_to_the_run(visitor, service):
    page = visitor.page
    page.goto(RUN)
    end_session(page)
    page.get_by_role("button", name="Claim").first.click()
    sign_in_again(page)

    expect(page).to_have_url(f"{service.url}{RUN}")
    expect(page.get_by_role("button", name="Claim").first).to_be_visible()


def test_what_was_done_to_picked_runs_as_the_session_ended_is_offered_again(visitor):
    page = visitor.page
    page.goto("/runs")
    page.locator("tbody .pick").first.check()
    end_session(page)
    page.get_by_role("region", name="Selected runs").get_by_role("button", name="Claim", exact=True).click()
    sign_in_again(page)

    expect(page.get_by_role("alert")).to_contain_text("“Claim” for 1 run was not done.")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_text("Run claimed.")).to_be_visible()


def test_a_page_from_before_another_sign_in_still_sends(visitor):
    """Its own token is old; the one of the cookie is sent."""
    page = visitor.page
    page.goto(RUN)
    page.get_by_label("Your comment").fill("From the older tab.")
    other = page.context.new_page()
    end_session(other)
    other.goto("/accounts/login/")
    sign_in_again(other)
    expect(other.get_by_role("navigation", name="Main")).to_be_visible()
    page.get_by_role("button", name="Comment", exact=True).click()

    expect(page.locator("#said")).to_contain_text("From the older tab.")


def test_a_list_whose_session_ended_leads_to_the_sign_in_and_back(visitor, service):
    page = visitor.page
    page.goto("/runs")
    end_session(page)
    page.get_by_role("searchbox").first.fill("one")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    sign_in_again(page)

    expect(page).to_have_url(f"{service.url}/runs")


def test_a_list_that_cannot_be_asked_for_says_so_and_tries_again(visitor):
    page = visitor.page
    page.goto("/runs")
    page.context.set_offline(True)
    expect(page.get_by_role("alert")).to_contain_text("You are offline")
    page.get_by_role("searchbox").first.fill("nothing of this name")
    expect(page.get_by_role("alert")).to_contain_text("The service was not reached.")
    page.context.set_offline(False)
    page.get_by_role("searchbox").first.fill("nothing of this name at all")

    expect(page.get_by_role("alert")).to_have_count(0)
    visitor.trouble.clear()  # the browser writes down what it could not reach


def test_trying_again_without_a_network_keeps_the_page_and_what_is_written(visitor):
    page = visitor.page
    page.goto(RUN)
    page.get_by_label("Your comment").fill(TEXT)
    page.context.set_offline(True)
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("You are offline")

    with page.expect_event("requestfailed"):
        alert.get_by_role("button", name="Try again").click()

    expect(alert).to_contain_text("You are offline")
    expect(page.get_by_label("Your comment")).to_have_value(TEXT)
    visitor.trouble.clear()


def test_what_was_looked_for_without_a_network_is_found_once_it_is_back(visitor):
    page = visitor.page
    page.goto("/runs")
    page.context.set_offline(True)
    page.get_by_role("searchbox").first.fill("nothing of this name")
    expect(page.get_by_role("alert")).to_contain_text("The service was not reached.")

    page.context.set_offline(False)

    expect(page.get_by_role("link", name="one", exact=True)).to_have_count(0)
    expect(page.get_by_role("alert")).to_have_count(0)
    visitor.trouble.clear()


def test_a_request_that_was_refused_is_said_in_its_words_and_can_be_tried_again(visitor):
    page = visitor.page
    page.goto("/runs")
    page.route("**/runs?search=one*", lambda route: route.fulfill(status=503, body="<p class=lede>Not now.</p>"))
    page.get_by_role("searchbox").first.fill("one")
    expect(page.get_by_role("alert")).to_contain_text("Not now.")
    page.unroute("**/runs?search=one*")
    page.get_by_role("button", name="Try again").click()

    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.get_by_role("link", name="one", exact=True)).to_be_visible()
    visitor.trouble.clear()


def test_a_refresh_that_comes_late_undoes_no_search(visitor):
    page, held = visitor.page, []
    page.clock.install()
    page.goto("/runs")
    expect(page.locator("main .live")).to_be_visible()
    page.route("**/runs", lambda route: held.append(route))
    page.clock.run_for(11_000)
    for _ in range(1_200):
        if held:
            break
        page.wait_for_timeout(50)
    page.get_by_role("searchbox").first.fill("nothing of this name")
    expect(page.get_by_text("No run has that in its name")).to_be_visible()
    settle(page)

    with page.expect_event("requestfinished", lambda request: request == held[0].request):
        held[0].continue_()
    page.wait_for_timeout(500)

    assert page.get_by_role("link", name="one", exact=True).count() == 0  # the next refresh would put it right


def test_a_double_click_sends_once_and_what_was_sent_can_be_sent_again_later(visitor):
    page, held = visitor.page, []
    page.clock.install()
    page.clock.pause_at(datetime.now(UTC) + timedelta(minutes=1))  # the second click comes soon, however long it takes
    page.goto(RUN)
    page.wait_for_load_state("networkidle")
    page.route("**/comments", lambda route: held.append(route))
    page.get_by_label("Your comment").fill("Clicked twice.")
    button = page.get_by_role("button", name="Comment", exact=True)
    button.scroll_into_view_if_needed()
    box = button.bounding_box()
    for _ in range(2):  # by the mouse: what knows the button waits for the answer
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        for _ in range(1_200):
            if held:
                break
            page.wait_for_timeout(50)
    page.wait_for_timeout(500)
    assert len(held) == 1
    held[0].continue_()
    page.unroute("**/comments")
    expect(page.locator("#said").get_by_text("Clicked twice.")).to_have_count(1)

    page.get_by_label("Your comment").fill("And once more.")
    page.get_by_role("button", name="Comment", exact=True).click()
    expect(page.locator("#said").get_by_text("And once more.")).to_have_count(1)
