"""In a real browser: the palette, the watchers, settings, and a tracker and a chat that speak the vendors' API."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser import chromium, visit
from tests.factories import PASSWORD
from tests.outside import outside
from tests.service import Service

INES, PRIYA = "ines@halden.example", "priya.raman@halden.example"
PAGES = [
    *("/", "/search?q=lyso", "/watchers", "/watchers/connect", "/inbox?show=all", "/feedback"),
    *("/settings/profile", "/settings/password", "/settings/notifications", "/settings/ai-clients", "/settings/tokens"),
    *("/settings/tokens/new", "/settings/members", "/settings/integrations", "/settings/watcher-releases"),
    "/settings/feedback",
]

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """The demonstration laboratory with one admin and one member."""
    with Service(tmp_path_factory.mktemp("settings") / "data") as service:
        service.manage("create_admin", INES, "--name", "Ines Example", IDS_ADMIN_PASSWORD=PASSWORD)
        service.manage("create_user", "member@halden.example", "--name", "Mia Member", IDS_USER_PASSWORD=PASSWORD)
        service.manage("seed_demo")
        yield service


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def session(service, browser):
    """The cookies of Ines."""
    return signed_in(service, browser, INES)


def signed_in(service, browser, email):
    with visit(browser, service.url) as visitor:
        visitor.page.goto("/accounts/login/")
        visitor.page.get_by_label("E-mail").fill(email)
        visitor.page.get_by_label("Password").fill(PASSWORD)
        visitor.page.get_by_role("button", name="Sign in").click()
        expect(visitor.page.get_by_role("navigation", name="Main")).to_be_visible()
        return visitor.page.context.storage_state()


@pytest.fixture
def ines(service, browser, session):
    permissions = ["clipboard-read", "clipboard-write"]
    with visit(browser, service.url, storage_state=session, permissions=permissions) as visitor:
        yield visitor.page


@pytest.fixture
def without_script(service, browser, session):
    with visit(browser, service.url, storage_state=session, java_script_enabled=False) as visitor:
        yield visitor.page


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_pages_are_accessible_and_fit_every_screen(service, browser, session, scheme):
    options = {"color_scheme": scheme, "reduced_motion": "reduce"}  # colours on their way are nobody's
    with visit(browser, service.url, storage_state=session, **options) as visitor:
        found = {}
        for path in PAGES:
            for width in (360, 1280, 1920):
                visitor.page.set_viewport_size({"width": width, "height": 900})
                visitor.page.goto(path)
                wide = visitor.page.evaluate("document.documentElement.scrollWidth > window.innerWidth")
                faults = [fault["id"] for fault in Axe().run(visitor.page).response["violations"]]
                if wide or faults:
                    found[f"{path} at {width}"] = ["sideways scroll"] * wide + faults

        assert found == {}


def test_the_palette_finds_and_opens_a_run_by_keys(ines, service):
    ines.goto("/watchers")
    ines.keyboard.press("Control+k")
    ines.keyboard.type("refold")
    expect(ines.get_by_role("option", name="All runs named “refold”")).to_be_visible()  # not what "ref" found
    expect(ines.locator('.hit[aria-selected="true"]')).to_have_count(1)
    ines.keyboard.press("ArrowDown")
    chosen = ines.locator('.hit[aria-selected="true"]').get_attribute("href")
    ines.keyboard.press("Enter")

    expect(ines).to_have_url(f"{service.url}{chosen}")


def test_enter_opens_what_was_typed_and_not_what_a_part_of_it_found(ines):
    ines.goto("/watchers")
    ines.keyboard.press("Control+k")
    ines.keyboard.type("re")
    expect(ines.get_by_role("option", name="All runs named “re”")).to_be_visible()
    ines.keyboard.type("fold_pilot")
    ines.keyboard.press("Enter")

    expect(ines.get_by_role("heading", level=1)).to_contain_text("refold_pilot")


def test_the_palette_is_closed_by_a_finger(service, browser, session):
    touch = {"viewport": {"width": 360, "height": 740}, "is_mobile": True, "has_touch": True}
    with visit(browser, service.url, storage_state=session, **touch) as person:
        person.page.goto("/watchers")
        palette = person.page.get_by_role("dialog", name="Search")
        person.page.locator(".rail-find").tap()
        expect(palette).to_be_visible()
        expect(palette.get_by_text("Esc")).to_be_hidden()
        palette.get_by_role("button", name="Close").tap()

        expect(palette).to_be_hidden()


def test_slash_opens_the_palette_and_escape_closes_it(ines):
    ines.goto("/")
    ines.keyboard.press("/")
    expect(ines.get_by_role("combobox")).to_be_focused()
    ines.keyboard.press("Escape")

    expect(ines.get_by_role("combobox")).to_be_hidden()


def test_search_works_without_script(without_script):
    without_script.goto("/")
    without_script.get_by_role("link", name="Search").click()
    without_script.get_by_role("searchbox").fill("refold")
    without_script.get_by_role("button", name="Search").click()

    expect(without_script.get_by_role("heading", name="Runs")).to_be_visible()


def test_a_token_is_made_copied_used_and_revoked(ines, service):
    ines.clock.install()
    ines.goto("/settings/tokens")
    ines.get_by_role("link", name="New token").click()
    ines.get_by_label("Name", exact=True).fill("notebook")
    expect(ines.get_by_label("Never")).to_be_checked()
    ines.get_by_text("Read only").click()
    expect(ines.get_by_label("90 days")).to_be_checked()
    ines.get_by_role("button", name="Create token").click()
    text = ines.locator("#new-token-text").text_content()
    ines.clock.pause_at(datetime.now(UTC) + timedelta(minutes=1))  # it says so for three seconds
    ines.get_by_role("button", name="Copy").click()
    expect(ines.get_by_role("button", name="Copied")).to_be_visible()
    copied = ines.evaluate("navigator.clipboard.readText()")
    call = {"headers": {"Authorization": f"Bearer {text}"}}
    before = ines.request.get("/api/v1/whoami", **call).status

    ines.goto("/settings/tokens")
    ines.get_by_label("Select notebook", exact=True).check()
    ines.get_by_role("button", name="Revoke…").click()
    ines.get_by_role("button", name="Revoke", exact=True).click()
    expect(ines.get_by_text("1 token revoked.")).to_be_visible()

    assert (copied, before) == (text, 200)
    assert ines.request.get("/api/v1/whoami", **call).status == 401


def test_what_is_chosen_before_the_script_is_there_counts_too(ines):
    held = []
    ines.route("**/static/tokens*.js", lambda route: held.append(route))
    with ines.expect_request("**/static/tokens*.js"):
        ines.goto("/settings/tokens/new", wait_until="commit")
    ines.get_by_text("Read only").click()
    held[0].continue_()

    expect(ines.get_by_label("90 days")).to_be_checked()


def test_a_token_is_made_without_script(without_script):
    without_script.goto("/settings/tokens/new")
    without_script.get_by_label("Name", exact=True).fill("plain")
    without_script.get_by_text("My own choice").click()
    without_script.get_by_text("Scopes", exact=True).click()
    without_script.get_by_label("runs:read").check()
    without_script.get_by_role("button", name="Create token").click()

    expect(without_script.get_by_text("Copy the token “plain” now")).to_be_visible()


def test_who_is_demoted_is_refused_at_once(ines, service, browser):
    ines.goto("/settings/members")
    ines.get_by_label("Select Mia Member").check()
    ines.get_by_role("button", name="Make admin").click()
    expect(ines.get_by_text("Mia Member is now an admin.")).to_be_visible()
    session = signed_in(service, browser, "member@halden.example")

    with visit(browser, service.url, storage_state=session) as mia:
        mia.page.goto("/settings/members")
        expect(mia.page.get_by_role("heading", name="Members")).to_be_visible()
        ines.get_by_label("Select Mia Member").check()
        ines.get_by_role("button", name="Remove as admin").click()
        expect(ines.get_by_text("Mia Member is no longer an admin.")).to_be_visible()
        mia.page.goto("/settings/profile")

        expect(mia.page.get_by_role("link", name="Members")).to_be_hidden()
        assert mia.page.request.get("/settings/members").status == 403


def test_a_watcher_is_looked_into(ines):
    ines.goto("/watchers")
    ines.locator("tbody .key a").first.click()
    expect(ines.get_by_role("heading", name="Heartbeats")).to_be_visible()
    ines.wait_for_load_state()
    ines.get_by_label("Errors only").check()

    expect(ines).to_have_url(re.compile("errors=1"))


@pytest.mark.parametrize("visitor", ["ines", "without_script"])
def test_the_tracker_and_the_chat_are_connected_and_tested(visitor, request):
    page = request.getfixturevalue(visitor)
    with outside() as played:
        played.answer("/repos/lab/ids", {"full_name": "lab/ids", "has_issues": True})
        played.answer("/repos/lab/ids/issues", {"number": 1, "html_url": "", "state": "open"}, status=201)
        played.answer("/auth.test", {"ok": True, "team": "Halden"})
        for title, token in (("Chat", "xoxb-1"), ("Issue tracker", "ghp-1")):
            page.goto("/settings/integrations")
            part = page.get_by_role("region", name=title)
            if title != "Chat":
                part.get_by_label("Repository").fill("lab/ids")
            part.get_by_label("Token").fill(token)
            part.get_by_text("Another address").click()
            part.get_by_label("Address of its API").fill(played.url)
            part.get_by_role("button", name="Connect").click()
            part.get_by_role("button", name="Test").click()
            expect(page.get_by_text(f"{title} answers:")).to_be_visible()

        page.goto("/feedback")
        page.get_by_label("In one line").fill("The export loses a row")
        page.get_by_label("What happened, what you expected").fill("Every time.")
        page.get_by_role("button", name="Send").click()

        expect(page.get_by_text("is with those who can help")).to_be_visible()
        assert any(call.method == "POST" and call.path == "/repos/lab/ids/issues" for call in played.calls)

    for title in ("Chat", "Issue tracker"):
        page.goto("/settings/integrations")
        page.get_by_role("region", name=title).get_by_role("button", name="Disconnect").click()
        expect(page.get_by_role("region", name=title).get_by_text("not connected")).to_be_visible()


def test_releases_are_published_and_withdrawn_without_script(without_script):
    page = without_script
    page.goto("/settings/watcher-releases")
    page.get_by_label("Version", exact=True).fill("7.4.0")
    page.get_by_role("button", name="Add the draft").click()
    row = page.get_by_role("row", name="7.4.0")
    expect(row.get_by_text("draft")).to_be_visible()
    for action, state in (("Publish", "current"), ("Withdraw", "withdrawn")):
        page.get_by_label("Select 7.4.0").check()
        page.get_by_role("button", name=action).click()
        expect(row.get_by_text(state)).to_be_visible()


def test_a_password_is_changed_without_script(service, browser):
    service.manage("create_user", "noor@halden.example", "--name", "Noor", IDS_USER_PASSWORD=PASSWORD)
    session = signed_in(service, browser, "noor@halden.example")
    with visit(browser, service.url, storage_state=session, java_script_enabled=False) as noor:
        noor.page.goto("/settings/password")
        noor.page.get_by_label("Old password").fill(PASSWORD)
        noor.page.get_by_label("New password", exact=True).fill("nine lives of a cuvette")
        noor.page.get_by_label("New password again").fill("nine lives of a cuvette")
        noor.page.get_by_role("button", name="Change").click()

        expect(noor.page.get_by_text("Your password is changed.")).to_be_visible()
